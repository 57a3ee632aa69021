#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace warpsight {

// A step function of time, such as busy or not, or the length of a queue. Averages over any
// interval are exact and take two binary searches. Filled by one thread, then thread-safe.
class StepFunction {
 public:
  // Sets the value from `time` on; before the first change it is 0. Times must not decrease.
  void Append(TimeNs time, uint32_t value);
  // Must be called after the last Append().
  void Finish();

  // The largest value, ignoring values for empty intervals.
  uint32_t max() const { return max_; }
  size_t MemoryBytes() const;

  // The averages over [from + i * bucket, from + (i + 1) * bucket), clipped at `end`; NaN for
  // buckets that begin at or after `end`.
  void Averages(TimeNs from, DurationNs bucket, TimeNs end, std::span<float> out) const;

 private:
  // The index of the first change after `time`, which is at least `from`.
  size_t After(TimeNs time, size_t from) const;
  // The integral up to `time`; `after` is the index of the first change after it. Modulo 2^64, so
  // differences are correct if they fit.
  uint64_t Integral(TimeNs time, size_t after) const;

  static constexpr size_t kBlock = 16;
  std::vector<TimeNs> time_;
  std::vector<uint32_t> value_;
  std::vector<uint64_t> integral_;  // up to every kBlock-th change
  uint64_t sum_ = 0;                // up to the last change
  uint32_t max_ = 0;
};

}  // namespace warpsight
