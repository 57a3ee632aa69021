#include "analysis/reporting/cell_json.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <variant>

#include "analysis/reporting/renderer.h"
#include "base/json_text.h"

namespace warpsight {
namespace {

template <typename T>
void AppendNumberAsText(const T& value, std::string& out) {
  if constexpr (std::is_arithmetic_v<T>) {
    fmt::format_to(std::back_inserter(out), "\"{}\"", value);
  }
}

}  // namespace

void AppendJsonCell(ColumnType type, const Cell& cell, std::string& out) {
  if (const auto* text = std::get_if<std::string_view>(&cell)) {
    AppendJsonString(*text, out);
  } else if (type == ColumnType::kText && !IsMissing(cell)) {
    // A number among texts, as in the summary: what a column holds is of one type.
    std::visit([&](const auto& value) { AppendNumberAsText(value, out); }, cell);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    if (std::isfinite(*real)) {
      fmt::format_to(std::back_inserter(out), "{}", *real);
    } else {
      out += "null";
    }
  } else if (const auto* integer = std::get_if<int64_t>(&cell)) {
    if (type == ColumnType::kYesNo) {
      out += *integer != 0 ? "true" : "false";
    } else {
      fmt::format_to(std::back_inserter(out), "{}", *integer);
    }
  } else {
    out += "null";
  }
}

}  // namespace warpsight
