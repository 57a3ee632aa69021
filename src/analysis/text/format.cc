#include "analysis/text/format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>
#include <string_view>

namespace warpsight {
namespace {

// Inserts separators between the digits from `begin` to the end of the integer part.
void GroupThousands(std::string& text, size_t begin) {
  size_t end = text.find('.', begin);
  if (end == std::string::npos) end = text.size();
  while (end > begin + 3) {
    end -= 3;
    text.insert(end, 1, ',');
  }
}

struct Scale {
  double factor;
  std::string_view unit;
};

// Three significant digits, in the largest unit in which the value is at least 1.
std::string FormatScaled(double value, std::span<const Scale> scales) {
  if (!std::isfinite(value)) return "n/a";
  const double size = std::abs(value);
  for (size_t i = 0; i < scales.size(); ++i) {
    const bool last = i + 1 == scales.size();
    // Otherwise 999.6 would be printed as 1000 of this unit.
    if (!last && size >= scales[i + 1].factor * 0.9995) continue;
    const double scaled = value / scales[i].factor;
    int decimals = 2;
    if (std::abs(scaled) >= 9.995) decimals = 1;
    if (std::abs(scaled) >= 99.95 || i == 0) decimals = 0;
    return FormatFixed(scaled, decimals) + std::string(scales[i].unit);
  }
  return "n/a";
}

}  // namespace

std::string FormatCount(int64_t value) {
  std::string text = fmt::format("{}", value);
  GroupThousands(text, value < 0 ? 1 : 0);
  return text;
}

std::string FormatFixed(double value, int decimals) {
  if (!std::isfinite(value)) return "n/a";
  std::string text = fmt::format("{:.{}f}", value, decimals);
  GroupThousands(text, text[0] == '-' ? 1 : 0);
  return text;
}

std::string FormatReal(double value) {
  if (value != 0 && std::abs(value) < 0.001) return fmt::format("{:.3g}", value);
  std::string text = fmt::format("{:.{}f}", value, std::abs(value) >= 10 ? 1 : 3);
  while (text.size() > 2 && text.back() == '0' && text[text.size() - 2] != '.') text.pop_back();
  return text;
}

std::string FormatDuration(double ns) {
  static constexpr std::array kScales = {Scale{1, " ns"}, Scale{1e3, " µs"}, Scale{1e6, " ms"},
                                         Scale{1e9, " s"}};
  return FormatScaled(ns, kScales);
}

std::string FormatBytes(double bytes) {
  static constexpr std::array kScales = {Scale{1, " B"}, Scale{1e3, " kB"}, Scale{1e6, " MB"},
                                         Scale{1e9, " GB"}, Scale{1e12, " TB"}};
  return FormatScaled(bytes, kScales);
}

std::string FormatShare(double part, double whole) {
  if (!(whole > 0)) return "n/a";
  const double percent = 100 * part / whole;
  // 0 % and 100 % are printed only for exact values.
  if (percent > 0 && percent < 0.05) return "<0.1 %";
  if (percent < 100 - 1e-9 && percent >= 99.95) return ">99.9 %";
  return FormatFixed(percent, 1) + " %";
}

}  // namespace warpsight
