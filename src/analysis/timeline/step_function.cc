#include "analysis/timeline/step_function.h"

#include <algorithm>
#include <limits>

namespace warpsight {

void StepFunction::Append(TimeNs time, uint32_t value) {
  if (!time_.empty()) {
    if (time == time_.back()) {
      value_.back() = value;
      return;
    }
    if (value == value_.back()) return;
    max_ = std::max(max_, value_.back());
    sum_ += value_.back() * static_cast<uint64_t>(time - time_.back());
  }
  if (time_.size() % kBlock == 0) integral_.push_back(sum_);
  time_.push_back(time);
  value_.push_back(value);
}

void StepFunction::Finish() {
  if (!value_.empty()) max_ = std::max(max_, value_.back());
  time_.shrink_to_fit();
  value_.shrink_to_fit();
  integral_.shrink_to_fit();
}

size_t StepFunction::MemoryBytes() const {
  return time_.capacity() * sizeof(TimeNs) + value_.capacity() * sizeof(uint32_t) +
         integral_.capacity() * sizeof(uint64_t);
}

size_t StepFunction::After(TimeNs time, size_t from) const {
  if (from == time_.size() || time_[from] > time) return from;
  size_t step = 1;
  while (from + step < time_.size() && time_[from + step] <= time) step *= 2;
  const auto begin = time_.begin() + static_cast<ptrdiff_t>(from);
  const auto end = time_.begin() + static_cast<ptrdiff_t>(std::min(from + step, time_.size()));
  return static_cast<size_t>(std::upper_bound(begin, end, time) - time_.begin());
}

uint64_t StepFunction::Integral(TimeNs time, size_t after) const {
  if (after == 0) return 0;
  const size_t last = after - 1;
  size_t i = last / kBlock * kBlock;
  uint64_t integral = integral_[i / kBlock];
  for (; i < last; ++i) integral += value_[i] * static_cast<uint64_t>(time_[i + 1] - time_[i]);
  return integral + value_[last] * static_cast<uint64_t>(time - time_[last]);
}

void StepFunction::Averages(TimeNs from, DurationNs bucket, TimeNs end,
                            std::span<float> out) const {
  // The integral over an interval with few changes, from the first one behind its start.
  const auto between = [&](TimeNs start, size_t after, TimeNs stop, size_t after_stop) {
    uint64_t integral = 0;
    uint64_t value = after == 0 ? 0 : value_[after - 1];
    for (size_t i = after; i < after_stop; ++i) {
      integral += value * static_cast<uint64_t>(time_[i] - start);
      start = time_[i];
      value = value_[i];
    }
    return integral + value * static_cast<uint64_t>(stop - start);
  };
  size_t after = After(from, 0);
  uint64_t before = Integral(from, after);
  for (size_t i = 0; i < out.size(); ++i) {
    const TimeNs start = from + static_cast<TimeNs>(i) * bucket;
    const TimeNs stop = std::min(start + bucket, end);
    if (stop <= start) {
      out[i] = std::numeric_limits<float>::quiet_NaN();
      continue;
    }
    const size_t after_stop = After(stop, after);
    const uint64_t now = after_stop - after < kBlock
                             ? before + between(start, after, stop, after_stop)
                             : Integral(stop, after_stop);
    after = after_stop;
    out[i] =
        static_cast<float>(static_cast<double>(now - before) / static_cast<double>(stop - start));
    before = now;
  }
}

}  // namespace warpsight
