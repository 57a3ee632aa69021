#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace warpsight {
namespace {

// The squares of differences below this limit can be summed exactly in 128 bits for up to 2^32
// values. In nanoseconds it is three days.
constexpr uint64_t kExactDifference = uint64_t{1} << 48;

double Median(std::span<int64_t> values) {
  const auto upper = static_cast<double>(UpperMedian(values));
  if (values.size() % 2 == 1) return upper;
  const std::span<int64_t> lower = values.first(values.size() / 2);
  return (static_cast<double>(*std::max_element(lower.begin(), lower.end())) + upper) / 2;
}

// The sum of squared differences from the mean. Computed relative to the smallest value, so that
// sums stay small and exact, and independent of the order of the values.
double SquaredDifferences(std::span<const int64_t> values, int64_t min, int64_t max,
                          double average) {
  const uint64_t spread = static_cast<uint64_t>(max) - static_cast<uint64_t>(min);
  if (spread >= kExactDifference) {
    double sum = 0;
    for (const int64_t value : values) {
      const double difference = static_cast<double>(value) - average;
      sum += difference * difference;
    }
    return sum;
  }
  unsigned __int128 squares = 0;
  unsigned __int128 sum = 0;
  for (const int64_t value : values) {
    const auto difference = static_cast<unsigned __int128>(value - min);
    squares += difference * difference;
    sum += difference;
  }
  const auto n = static_cast<long double>(values.size());
  const auto mean = static_cast<long double>(sum) / n;
  return static_cast<double>(static_cast<long double>(squares) - n * mean * mean);
}

}  // namespace

int64_t UpperMedian(std::span<int64_t> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int64_t LargestUsual(std::vector<int64_t> values) {
  const int64_t median = UpperMedian(values);
  for (int64_t& value : values) value = std::abs(value - median);
  const int64_t deviation = UpperMedian(values);
  return median + std::max(5 * deviation, median / 5);
}

Statistics Summarize(std::span<int64_t> values) {
  Statistics result;
  if (values.empty()) return result;
  result.count = static_cast<int64_t>(values.size());
  result.min = values[0];
  result.max = values[0];
  uint64_t total = 0;  // unsigned: absurd values of a damaged file may overflow
  for (const int64_t value : values) {
    total += static_cast<uint64_t>(value);
    result.min = std::min(result.min, value);
    result.max = std::max(result.max, value);
  }
  result.total = static_cast<int64_t>(total);
  result.average = static_cast<double>(result.total) / static_cast<double>(result.count);
  result.median = Median(values);
  if (result.count > 1) {
    const double squares = SquaredDifferences(values, result.min, result.max, result.average);
    result.deviation = std::sqrt(std::max(0.0, squares) / static_cast<double>(result.count - 1));
  }
  return result;
}

}  // namespace warpsight
