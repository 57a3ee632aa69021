#include "importers/nvprof/csv_lines.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

namespace warpsight::importers::nvprof {
namespace {

constexpr double kLargest = 4e18;

double FactorOf(std::string_view unit) {
  if (unit == "s") return 1e9;
  if (unit == "ms") return 1e6;
  if (unit == "us") return 1e3;
  if (unit == "KB") return 1024.0;
  if (unit == "MB") return 1024.0 * 1024;
  if (unit == "GB") return 1024.0 * 1024 * 1024;
  return 1;
}

}  // namespace

std::vector<std::string> SplitCsv(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

std::optional<int64_t> Scaled(std::string_view number, std::string_view unit) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size()) return {};
  value = std::round(value * FactorOf(unit));
  if (!(std::abs(value) < kLargest)) return {};
  return static_cast<int64_t>(value);
}

}  // namespace warpsight::importers::nvprof
