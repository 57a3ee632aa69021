#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/reporting/cell_json.h"
#include "analysis/reporting/renderer.h"
#include "analysis/reporting/report.h"
#include "analysis/reporting/table.h"
#include "analysis/reporting/table_query.h"
#include "base/json_builder.h"
#include "base/json_text.h"
#include "mcp/tools/cost_tables.h"
#include "mcp/tools/quoted.h"
#include "mcp/tools/sources.h"
#include "mcp/tools/tools.h"

namespace warpsight::mcp {
namespace {

constexpr int64_t kDefaultRows = 10;
constexpr int64_t kMostRows = 100;

using MakeCosts = CostTable (*)(const OpenedProfile& opened, size_t limit);

Answer CostAnswer(const OpenedProfile& opened, std::string_view name, const CostTable& table) {
  Sources sources;
  sources.Sql("rows", table.sql);
  sources.Sql("total", table.total_sql);
  const std::string text =
      fmt::format("{} of {} {}, by time per step:\n{}", table.shown, table.total, name, table.text);
  return {text, JsonObject()
                    .Text("profile", opened.id())
                    .Text("table", name)
                    .Json("rows", table.rows)
                    .Integer("total", static_cast<int64_t>(table.total))
                    .Json("sources", sources.Json())
                    .Take()};
}

std::string Columns(const Table& table) {
  JsonArray columns;
  for (const Table::Column& column : table.columns()) {
    columns.Json(JsonObject().Text("name", column.name).Text("type", TypeName(column.type)).Take());
  }
  return columns.Take();
}

std::string RowJson(const Table& table, size_t row) {
  std::string json = "[";
  for (size_t i = 0; i < table.columns().size(); ++i) {
    if (i > 0) json += ", ";
    const Cell cell = table.At(row, i);
    if (const auto* text = std::get_if<std::string_view>(&cell)) {
      AppendJsonString(ShortName(*text), json);
    } else {
      AppendJsonCell(table.columns()[i].type, cell, json);
    }
  }
  return json + "]";
}

Result<Answer> ReportAnswer(const OpenedProfile& opened, const Report& report,
                            const TableQuery& query, size_t limit) {
  const std::unique_ptr<Table> table = MakeTable(report, opened.Input());
  const auto selected = SelectRows(*table, query, {0, limit});
  if (!selected.ok()) {
    std::string columns;
    for (const Table::Column& column : table->columns()) {
      columns += fmt::format("{}{}", columns.empty() ? "" : ", ", JsonString(column.name));
    }
    return Error{fmt::format("{}; columns: {}", ShortSentence(selected.error().message), columns)};
  }
  const size_t shown = std::min(limit, selected->size());
  JsonArray rows;
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    const std::string row = RowJson(*table, (*selected)[i]);
    rows.Json(row);
    text += "- " + row + "\n";
  }
  JsonArray notes;
  for (const std::string& note : table->notes()) {
    notes.Text(ShortSentence(note));
    text += "Note: " + JsonString(ShortSentence(note)) + "\n";
  }
  std::string header;
  for (const Table::Column& column : table->columns()) {
    header += (header.empty() ? "" : ", ") + column.name;
  }
  Sources sources;
  sources.Report("rows", report.id);
  return Answer{fmt::format("{} of {} rows of the report {}: {}\n{}", shown, selected->size(),
                            report.id, header, text),
                JsonObject()
                    .Text("profile", opened.id())
                    .Text("table", report.id)
                    .Text("title", report.title)
                    .Json("columns", Columns(*table))
                    .Json("rows", rows.Take())
                    .Integer("total", static_cast<int64_t>(selected->size()))
                    .Json("notes", notes.Take())
                    .Json("sources", sources.Json())
                    .Take()};
}

Result<Answer> Top(const OpenedProfile& opened, const Arguments& arguments) {
  const std::string_view name = arguments.Text("table");
  const auto limit = static_cast<size_t>(arguments.Integer("limit", kDefaultRows));
  constexpr std::pair<std::string_view, MakeCosts> kCosts[] = {
      {"kernels", TopKernels}, {"ops", TopOps}, {"copies", TopCopies}};
  TableQuery query;
  query.search = arguments.Text("search");
  query.sort = arguments.Text("sort");
  query.descending = arguments.YesNo("descending");
  for (const auto& [id, make] : kCosts) {
    if (name != id) continue;
    if (!query.search.empty() || !query.sort.empty()) {
      return Error{
          fmt::format("sort and search are for reports: {} are sorted by time; use query "
                      "for other questions",
                      name)};
    }
    return CostAnswer(opened, id, make(opened, limit));
  }
  const std::vector<Report> reports = AllReports();
  const auto report = std::find_if(reports.begin(), reports.end(),
                                   [name](const Report& r) { return r.id == name; });
  if (report != reports.end()) return ReportAnswer(opened, *report, query, limit);
  std::string known;
  for (const Report& other : reports) known += fmt::format(", {}", other.id);
  return Error{
      fmt::format("there is no table {}; there are: kernels, ops, copies, and the reports{}",
                  Quoted(name), known.substr(1))};
}

}  // namespace

Tool TopTool(const Profiles& profiles) {
  return {
      "top",
      "Show the first rows of a table",
      "The costliest kernels, ops or copies of the analyzed steps, or the first rows of any "
      "report of Warpsight by name, such as steps, gaps, roofline, sol, tensor_core, op_shapes, "
      "cuda_api_sum, communication or trust.",
      {ProfileParameter(),
       {"table", Parameter::Type::kText, "kernels, ops, copies, or the name of a report", true},
       {"limit", Parameter::Type::kInteger, "how many rows, 10 if not given", false, 1, kMostRows},
       {"sort", Parameter::Type::kText, "a column of the report to sort by"},
       {"descending", Parameter::Type::kYesNo, "with sort: the largest first"},
       {"search", Parameter::Type::kText, "only rows of the report that contain this text"}},
      [profiles](const Arguments& arguments, Progress& /*progress*/) -> Result<Answer> {
        const auto opened = profiles->Find(arguments.Text("profile"));
        if (!opened.ok()) return opened.error();
        return Top(**opened, arguments);
      }};
}

}  // namespace warpsight::mcp
