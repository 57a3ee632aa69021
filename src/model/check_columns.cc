#include "model/check_columns.h"

#include "tbb/parallel_for.h"

namespace warpsight::integrity {
namespace {

struct Bounds {
  int64_t low;
  int64_t high;
};

Bounds BoundsOf(Quantity quantity) {
  switch (quantity) {
    case Quantity::kIdentifier:
      return {INT64_MIN, INT64_MAX};
    case Quantity::kNumber:
      return {-1, kLargestLaunch};
    case Quantity::kCount:
      return {0, kLargestCount};
    case Quantity::kChange:
      return {-kLargestCount, kLargestCount};
    case Quantity::kTime:
    case Quantity::kDuration:
      return {0, kLatestEnd};
    case Quantity::kTotal:
      return {0, kLargestTotal};
    case Quantity::kPart:
      return {0, 2 * kLargestTotal};
    case Quantity::kFlag:
      return {0, 1};
    case Quantity::kReal:
      return {0, kLargestCount};
  }
  return {0, 0};
}

bool IsSummed(Quantity quantity) {
  return quantity == Quantity::kCount || quantity == Quantity::kChange ||
         quantity == Quantity::kDuration || quantity == Quantity::kPart;
}

}  // namespace

std::string Checks::Run() const {
  std::vector<std::string> problems(checks_.size());
  tbb::parallel_for(
      size_t{0}, checks_.size(), [&](size_t i) { problems[i] = checks_[i](); },
      tbb::simple_partitioner());
  for (std::string& problem : problems) {
    if (!problem.empty()) return std::move(problem);
  }
  return {};
}

std::string Missing(std::string_view table, std::string_view column, size_t row) {
  return fmt::format("{}.{} has no value in row {}", table, column, row);
}

std::string OutOfRange(std::string_view table, std::string_view column, size_t row) {
  return fmt::format("{}.{} is out of range in row {}", table, column, row);
}

bool IsAbsurd(const NumberRule& rule, int64_t value) {
  const Bounds bounds = BoundsOf(rule.quantity);
  return value != kMissing && (value < bounds.low || value > bounds.high);
}

bool IsAbsurd(const NumberRule& rule, double value) {
  const Bounds bounds = BoundsOf(rule.quantity);
  // Negated, so that it is also true for NaN.
  return value != kMissingReal &&
         !(value >= static_cast<double>(bounds.low) && value <= static_cast<double>(bounds.high));
}

namespace {

template <typename T>
int64_t ReplaceIn(const NumberRule& rule, Column<T>& values, T missing) {
  T replacement = rule.quantity == Quantity::kNumber ? T{-1} : T{0};
  if (rule.presence == Presence::kOptional) replacement = missing;
  int64_t replaced = 0;
  for (T& value : values) {
    const bool lacking = rule.presence == Presence::kRequired && value == missing;
    if (!lacking && !IsAbsurd(rule, value)) continue;
    value = replacement;
    ++replaced;
  }
  return replaced;
}

}  // namespace

int64_t ReplaceForbidden(const NumberRule& rule, Column<int64_t>& values) {
  return ReplaceIn(rule, values, kMissing);
}

int64_t ReplaceForbidden(const NumberRule& rule, Column<double>& values) {
  return ReplaceIn(rule, values, kMissingReal);
}

std::string CheckTotal(const NumberRule& rule, const Column<int64_t>& values) {
  if (!IsSummed(rule.quantity)) return {};
  unsigned __int128 total = 0;
  for (const int64_t value : values) {
    if (value != kMissing) total += static_cast<uint64_t>(value < 0 ? -value : value);
  }
  const int64_t most = rule.quantity == Quantity::kPart ? 2 * kLargestTotal : kLargestTotal;
  if (total <= static_cast<uint64_t>(most)) return {};
  return fmt::format("the sum of {}.{} is larger than any run can have", rule.table, rule.column);
}

std::string CheckNumbers(const NumberRule& rule, const Column<int64_t>& values) {
  if (rule.quantity == Quantity::kIdentifier && rule.presence == Presence::kOptional) return {};
  const Bounds bounds = BoundsOf(rule.quantity);
  int64_t smallest = bounds.low;
  int64_t largest = bounds.low;
  for (const int64_t value : values) {
    const int64_t present =
        value == kMissing && rule.presence == Presence::kOptional ? bounds.low : value;
    smallest = std::min(smallest, present);
    largest = std::max(largest, present);
  }
  if (smallest < bounds.low || largest > bounds.high) {
    for (size_t row = 0; row < values.size(); ++row) {
      if (values[row] == kMissing && rule.presence == Presence::kRequired) {
        return Missing(rule.table, rule.column, row);
      }
      if (IsAbsurd(rule, values[row])) return OutOfRange(rule.table, rule.column, row);
    }
  }
  return CheckTotal(rule, values);
}

std::string CheckNumbers(const NumberRule& rule, const Column<double>& values) {
  for (size_t row = 0; row < values.size(); ++row) {
    if (IsAbsurd(rule, values[row])) return OutOfRange(rule.table, rule.column, row);
  }
  return {};
}

}  // namespace warpsight::integrity
