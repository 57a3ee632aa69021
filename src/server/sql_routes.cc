#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <ratio>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "server/api.h"
#include "server/params.h"
#include "server/table_json.h"
#include "store/query.h"

namespace warpsight::server {
namespace {

constexpr size_t kDefaultRows = 1000;
constexpr size_t kMostRows = 1'000'000;
// The maximum number of cells of a response: at 100 bytes each they take 100 MB.
constexpr size_t kMaxCells = 1'000'000;
constexpr size_t kMostBytes = 100 << 20;

constexpr size_t kLargestRow = 16 << 20;

QueryLimits Limits() {
  QueryLimits limits;
  limits.time = std::chrono::seconds(10);
  limits.memory_bytes = 256 << 20;
  limits.threads = 1;
  limits.row_bytes = kLargestRow;
  limits.background = true;
  return limits;
}

// JavaScript cannot represent larger integers exactly, so they are sent as texts.
constexpr int64_t kExact = int64_t{1} << 53;

// Converts the text of a number as exactly as a cell can represent it.
Cell NumberCell(std::string_view text) {
  int64_t integer = 0;
  const char* end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, integer);
      read.ec == std::errc() && read.ptr == end) {
    if (integer > kExact || integer < -kExact) return text;
    return integer;
  }
  double real = 0;
  if (const auto read = std::from_chars(text.data(), end, real);
      read.ec != std::errc() || read.ptr != end || !std::isfinite(real)) {
    return text;
  }
  // Fifteen digits are always exact. Numbers with more digits are exact only if printing gives the
  // same digits.
  constexpr size_t kExactDigits = 15;
  if (text.size() <= kExactDigits || text.find('e') != text.npos ||
      fmt::format("{}", real) == text) {
    return real;
  }
  return text;
}

// Stores the first rows of a result.
class Collector : public QuerySink {
 public:
  explicit Collector(size_t limit) : limit_(limit) {}

  void Columns(std::span<const QueryColumn> columns) override {
    std::vector<Table::Column> made;
    for (const QueryColumn& column : columns) {
      columns_.push_back(column);
      ColumnType type = ColumnType::kText;
      if (column.kind == QueryColumn::Kind::kNumber) type = ColumnType::kReal;
      if (column.kind == QueryColumn::Kind::kBoolean) type = ColumnType::kYesNo;
      made.push_back({column.name, type, "", column.type});
    }
    table_ = std::make_unique<Table>(std::move(made));
    if (!columns.empty()) limit_ = std::min(limit_, kMaxCells / columns.size());
  }

  bool Row(std::span<const QueryCell> cells) override {
    if (table_->rows() >= limit_ || bytes_ > kMostBytes) {
      truncated_ = true;
      return false;
    }
    row_.clear();
    for (size_t i = 0; i < cells.size(); ++i) {
      if (!cells[i]) {
        row_.emplace_back();
        continue;
      }
      bytes_ += cells[i]->size();
      if (columns_[i].kind == QueryColumn::Kind::kNumber) {
        row_.push_back(NumberCell(*cells[i]));
      } else if (columns_[i].kind == QueryColumn::Kind::kBoolean) {
        row_.emplace_back(int64_t{*cells[i] == "true" ? 1 : 0});
      } else {
        row_.emplace_back(*cells[i]);
      }
    }
    table_->Row(row_);
    return true;
  }

  const Table& table() const { return *table_; }
  bool has_table() const { return table_ != nullptr; }
  const std::vector<QueryColumn>& columns() const { return columns_; }
  bool truncated() const { return truncated_; }

 private:
  size_t limit_;
  std::vector<QueryColumn> columns_;
  std::unique_ptr<Table> table_;
  std::vector<Cell> row_;
  size_t bytes_ = 0;
  bool truncated_ = false;
};

std::string_view KindName(QueryColumn::Kind kind) {
  switch (kind) {
    case QueryColumn::Kind::kText:
      return "text";
    case QueryColumn::Kind::kNumber:
      return "number";
    case QueryColumn::Kind::kBoolean:
      return "boolean";
  }
  return "text";
}

std::string ResultJson(const Collector& result, double milliseconds) {
  std::string out = "{\"columns\": [";
  for (size_t i = 0; i < result.columns().size(); ++i) {
    const QueryColumn& column = result.columns()[i];
    out += fmt::format("{}{{\"name\": {}, \"type\": {}, \"kind\": {}}}", i == 0 ? "" : ", ",
                       JsonString(column.name), JsonString(column.type),
                       JsonString(KindName(column.kind)));
  }
  out += "],\n\"rows\": [";
  for (size_t row = 0; result.has_table() && row < result.table().rows(); ++row) {
    out += row == 0 ? "\n" : ",\n";
    AppendRowJson(result.table(), row, out);
  }
  return fmt::format("{}],\n\"truncated\": {}, \"elapsed_ms\": {:.1f}}}\n", out,
                     result.truncated() ? "true" : "false", milliseconds);
}

int StatusOf(std::string_view code) {
  if (code == "timeout") return 408;
  if (code == "sql-error" || code == "query-stopped") return 400;
  if (code == "not-started") return 503;
  return 422;  // the file is damaged
}

Response Modified(const HeldFile& file) {
  return Failure(
      409, "changed",
      fmt::format("{} was modified after it was opened: restart the viewer", file.path()));
}

}  // namespace

Response SqlRoute(const Request& request, const LoadedProfile& profile, Slots& slots) {
  if (profile.file() == nullptr) {
    return Failure(409, "no-file", "there is no profile file to query: it could not be written");
  }
  if (profile.file()->WasModified()) return Modified(*profile.file());
  const auto limit = CountParam(request, "limit", kDefaultRows);
  if (!limit.ok()) return BadParam(limit.error());
  const Slots::Turn turn(slots);
  if (!turn) return Failure(503, "busy", "other queries are running; try again in a moment");

  Collector result(std::min(*limit, kMostRows));
  const auto begin = std::chrono::steady_clock::now();
  QueryLimits limits = Limits();
  limits.cancelled = [&] { return request.cancelled != nullptr && *request.cancelled; };
  const Status status = RunQuery(*profile.file(), request.body, result, limits);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  if (profile.file()->WasModified()) return Modified(*profile.file());
  if (!status.ok()) {
    return Failure(StatusOf(status.error().code), status.error().code, status.error().message);
  }
  if (request.path.size() == 4) return Json(ResultJson(result, took.count()), Keep::kNever);
  if (request.path.size() != 5 || request.path[4] != "export" || !result.has_table()) {
    return Failure(404, "unknown-address", "unknown URL; see docs/api.md");
  }
  std::vector<uint32_t> rows(result.table().rows());
  std::iota(rows.begin(), rows.end(), 0U);
  ExportHeading heading;
  heading.profile_name = profile.trace().profile_name;
  heading.title = "Result of a query";
  heading.id = "query";
  return ExportRoute(request, result.table(), rows, heading);
}

}  // namespace warpsight::server
