#include "model/compare.h"

#include <fmt/format.h>

#include <string_view>
#include <type_traits>

namespace warpsight {
namespace {

template <typename T>
std::string Shown(const Trace& trace, T value) {
  if constexpr (std::is_same_v<T, StringId>) {
    return fmt::format("'{}'", trace.Text(value));
  } else if constexpr (std::is_enum_v<T>) {
    return fmt::format("{}", Index(value));
  } else {
    return fmt::format("{}", value);
  }
}

template <typename T>
bool Same(const Trace& a, T x, const Trace& b, T y) {
  if constexpr (std::is_same_v<T, StringId>) {
    return a.Text(x) == b.Text(y);
  } else {
    return x == y;
  }
}

}  // namespace

std::string FirstDifference(const Trace& a, const Trace& b) {
  if (a.end != b.end) return fmt::format("end: {} and {}", a.end, b.end);
  std::string difference;
  TraceTables::Tables([&](std::string_view name, std::string_view, auto member) {
    using Table = std::remove_cvref_t<decltype(a.tables.*member)>;
    Table::Columns([&](ColumnInfo info, auto column) {
      if (!difference.empty()) return;
      const auto& x = a.tables.*member.*column;
      const auto& y = b.tables.*member.*column;
      if (x.size() != y.size()) {
        difference = fmt::format("{}: {} and {} rows", name, x.size(), y.size());
        return;
      }
      for (size_t i = 0; i < x.size(); ++i) {
        if (Same(a, x[i], b, y[i])) continue;
        difference = fmt::format("{}.{} row {}: {} and {}", name, info.name, i, Shown(a, x[i]),
                                 Shown(b, y[i]));
        return;
      }
    });
  });
  return difference;
}

}  // namespace warpsight
