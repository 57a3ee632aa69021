#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_builder.h"
#include "base/json_text.h"
#include "mcp/tools/quoted.h"
#include "mcp/tools/sources.h"
#include "mcp/tools/tools.h"
#include "store/query.h"

namespace warpsight::mcp {
namespace {

constexpr int64_t kDefaultRows = 50;
constexpr int64_t kMostRows = 1000;
// Of all rows as JSON: what an assistant can still read.
constexpr size_t kMostBytes = 100'000;
constexpr size_t kRowsInText = 20;

// As in the viewer, but for more time: nobody looks at a page that does not move.
QueryLimits Limits(const Progress& progress) {
  QueryLimits limits;
  limits.time = std::chrono::seconds(30);
  limits.memory_bytes = 256 << 20;
  limits.threads = 1;
  limits.row_bytes = 1 << 20;
  limits.cancelled = [&progress] { return progress.cancelled(); };
  return limits;
}

// Keeps the first rows of a result.
class FirstRows : public QuerySink {
 public:
  explicit FirstRows(size_t limit) : limit_(limit) {}

  void Columns(std::span<const QueryColumn> columns) override {
    columns_.assign(columns.begin(), columns.end());
  }

  bool Row(std::span<const QueryCell> cells) override {
    if (rows_.size() >= limit_ || bytes_ > kMostBytes) {
      truncated_ = true;
      return false;
    }
    std::string row = "[";
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) row += ", ";
      if (cells[i] && columns_[i].kind == QueryColumn::Kind::kText) {
        AppendJsonString(ShortSentence(*cells[i]), row);
      } else {
        AppendJsonValue(columns_[i], cells[i], row);
      }
    }
    row += "]";
    bytes_ += row.size();
    rows_.push_back(std::move(row));
    return true;
  }

  const std::vector<QueryColumn>& columns() const { return columns_; }
  const std::vector<std::string>& rows() const { return rows_; }
  bool truncated() const { return truncated_; }

 private:
  const size_t limit_;
  std::vector<QueryColumn> columns_;
  std::vector<std::string> rows_;
  size_t bytes_ = 0;
  bool truncated_ = false;
};

Answer Describe(const OpenedProfile& opened, const FirstRows& result, std::string_view sql) {
  JsonArray columns;
  std::string header;
  for (const QueryColumn& column : result.columns()) {
    columns.Json(JsonObject()
                     .Text("name", ShortName(column.name))
                     .Text("type", ShortName(column.type))
                     .Take());
    header += fmt::format("{}{}", header.empty() ? "" : ", ", Quoted(column.name));
  }
  JsonArray rows;
  for (const std::string& row : result.rows()) rows.Json(row);
  std::string text = fmt::format(
      "{} row{}{}: {}\n", result.rows().size(), result.rows().size() == 1 ? "" : "s",
      result.truncated() ? ", and there are more (raise limit, or aggregate in SQL)" : "", header);
  for (size_t i = 0; i < result.rows().size() && i < kRowsInText; ++i) {
    text += "- " + result.rows()[i] + "\n";
  }
  if (result.rows().size() > kRowsInText) text += "(the other rows are in structured content)\n";
  Sources sources;
  sources.Sql("rows", sql);
  return {text, JsonObject()
                    .Text("profile", opened.id())
                    .Json("columns", columns.Take())
                    .Json("rows", rows.Take())
                    .YesNo("truncated", result.truncated())
                    .Json("sources", sources.Json())
                    .Take()};
}

}  // namespace

Tool QueryTool(const Profiles& profiles) {
  return {
      "query",
      "Query with SQL",
      "Runs a read-only SQL statement (DuckDB) on a profile, for at most 30 s. Use schema for "
      "tables and columns; start with the views kernels, ops, copies, api, idle and accounting. "
      "Long texts are cut.",
      {ProfileParameter(),
       {"sql", Parameter::Type::kText, "the statement", true},
       {"limit", Parameter::Type::kInteger, "how many rows, 50 if not given", false, 1, kMostRows}},
      [profiles](const Arguments& arguments, Progress& progress) -> Result<Answer> {
        const auto opened = profiles->Find(arguments.Text("profile"));
        if (!opened.ok()) return opened.error();
        const auto file = (*opened)->FileForQueries(progress);
        if (!file.ok()) return file.error();
        const std::string sql(arguments.Text("sql"));
        FirstRows rows(static_cast<size_t>(arguments.Integer("limit", kDefaultRows)));
        const Status status = RunQuery(**file, sql, rows, Limits(progress));
        // DuckDB's messages repeat names of the profile and parts of the statement.
        if (!status.ok()) return Error{ShortSentence(status.error().message)};
        return Describe(**opened, rows, sql);
      }};
}

}  // namespace warpsight::mcp
