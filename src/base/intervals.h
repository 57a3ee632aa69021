#pragma once

#include <span>
#include <vector>

#include "base/units.h"

namespace warpsight {

// [start, end)
struct Interval {
  TimeNs start = 0;
  TimeNs end = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

// A set of times as sorted, disjoint, non-empty intervals: the merged union of metrics.md. All
// operations are linear in the sizes of their operands.
class IntervalSet {
 public:
  IntervalSet() = default;
  // Merges intervals in any order; empty and inverted ones are dropped, adjacent ones are joined.
  static IntervalSet FromUnsorted(std::vector<Interval> intervals);
  // The same for intervals already ordered by start.
  static IntervalSet FromSorted(std::span<const Interval> intervals);
  // Adds an interval that does not start before any previous one; adjacent intervals are joined.
  void Append(Interval interval);

  bool empty() const { return intervals_.empty(); }
  const std::vector<Interval>& intervals() const { return intervals_; }
  DurationNs Length() const;
  // Length inside one window.
  DurationNs LengthWithin(Interval window) const;
  bool Contains(TimeNs time) const;

  IntervalSet Union(const IntervalSet& other) const;
  IntervalSet Intersect(const IntervalSet& other) const;
  IntervalSet Subtract(const IntervalSet& other) const;
  IntervalSet Clip(Interval window) const;

  friend bool operator==(const IntervalSet&, const IntervalSet&) = default;

 private:
  std::vector<Interval> intervals_;
};

}  // namespace warpsight
