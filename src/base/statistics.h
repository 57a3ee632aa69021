#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace warpsight {

// The statistics of Nsight Systems for a set of durations or sizes. All 0 for an empty set.
struct Statistics {
  int64_t count = 0;
  int64_t total = 0;
  int64_t min = 0;
  int64_t max = 0;
  double average = 0;
  double median = 0;     // mean of the middle two for an even count
  double deviation = 0;  // of a sample (n - 1); 0 for one value
};

// Reorders the values. The result does not depend on their order.
Statistics Summarize(std::span<int64_t> values);

// The middle value; the larger of the middle two for an even count. Reorders the values, of which
// there must be at least one.
int64_t UpperMedian(std::span<int64_t> values);

// Values above this are unlike the others: more than the median by more than max(5 MAD, 20 % of
// it). There must be at least one value, and none may be negative.
int64_t LargestUsual(std::vector<int64_t> values);

}  // namespace warpsight
