#include "server/table_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <variant>

#include "analysis/reporting/event_text.h"
#include "analysis/reporting/renderer.h"
#include "base/json_text.h"

namespace warpsight::server {
namespace {

template <typename T>
void AppendNumberAsText(const T& value, std::string& out) {
  if constexpr (std::is_arithmetic_v<T>) {
    fmt::format_to(std::back_inserter(out), "\"{}\"", value);
  }
}

void AppendCell(const Table::Column& column, const Cell& cell, std::string& out) {
  if (const auto* text = std::get_if<std::string_view>(&cell)) {
    AppendJsonString(*text, out);
  } else if (column.type == ColumnType::kText && !IsMissing(cell)) {
    // A number in a column of texts, as in the summary, is written as text: all values of a column
    // must have the same type.
    std::visit([&](const auto& value) { AppendNumberAsText(value, out); }, cell);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    if (std::isfinite(*real)) {
      fmt::format_to(std::back_inserter(out), "{}", *real);
    } else {
      out += "null";
    }
  } else if (const auto* integer = std::get_if<int64_t>(&cell)) {
    if (column.type == ColumnType::kYesNo) {
      out += *integer != 0 ? "true" : "false";
    } else {
      fmt::format_to(std::back_inserter(out), "{}", *integer);
    }
  } else {
    out += "null";
  }
}

void AppendLink(const RowLink& link, std::string& out) {
  if (const std::string event = EventText(link); !event.empty()) {
    fmt::format_to(std::back_inserter(out), "{{\"event\": \"{}\"}}", event);
  } else if (link.stretch.end > link.stretch.start) {
    fmt::format_to(std::back_inserter(out), "{{\"start\": {}, \"end\": {}}}", link.stretch.start,
                   link.stretch.end);
  } else {
    out += "null";
  }
}

}  // namespace

std::string ColumnsJson(const std::vector<Table::Column>& columns) {
  std::string out = "[";
  for (const Table::Column& column : columns) {
    fmt::format_to(
        std::back_inserter(out), "{}{{\"name\": {}, \"type\": {}, \"unit\": {}, \"doc\": {}}}",
        out.size() == 1 ? "" : ", ", JsonString(column.name), JsonString(TypeName(column.type)),
        JsonString(column.unit), JsonString(column.doc));
  }
  return out + "]";
}

void AppendRowJson(const Table& table, size_t row, std::string& out) {
  out += '[';
  for (size_t column = 0; column < table.columns().size(); ++column) {
    if (column > 0) out += ", ";
    AppendCell(table.columns()[column], table.At(row, column), out);
  }
  out += ']';
}

std::string PageJson(std::string_view report, std::string_view title, const Table& table,
                     std::span<const uint32_t> rows, size_t offset, size_t limit) {
  const size_t begin = std::min(offset, rows.size());
  const std::span<const uint32_t> page = rows.subspan(begin, std::min(limit, rows.size() - begin));
  std::string out = fmt::format(
      "{{\"report\": {}, \"title\": {}, \"columns\": {},\n\"total\": {}, \"filtered\": {}, "
      "\"offset\": {},\n\"rows\": [",
      JsonString(report), JsonString(title), ColumnsJson(table.columns()), table.rows(),
      rows.size(), offset);
  for (size_t i = 0; i < page.size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    AppendRowJson(table, page[i], out);
  }
  out += "],\n\"links\": [";
  for (size_t i = 0; i < page.size(); ++i) {
    if (i > 0) out += ", ";
    AppendLink(table.LinkOf(page[i]), out);
  }
  out += "],\n\"notes\": [";
  for (size_t i = 0; i < table.notes().size(); ++i) {
    if (i > 0) out += ", ";
    AppendJsonString(table.notes()[i], out);
  }
  return out + "]}\n";
}

}  // namespace warpsight::server
