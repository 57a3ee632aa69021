#include "base/intervals.h"

#include <algorithm>

namespace warpsight {

void IntervalSet::Append(Interval interval) {
  if (interval.end <= interval.start) return;
  if (!intervals_.empty() && interval.start <= intervals_.back().end) {
    intervals_.back().end = std::max(intervals_.back().end, interval.end);
  } else {
    intervals_.push_back(interval);
  }
}

IntervalSet IntervalSet::FromUnsorted(std::vector<Interval> intervals) {
  const auto by_start = [](const Interval& a, const Interval& b) { return a.start < b.start; };
  if (!std::is_sorted(intervals.begin(), intervals.end(), by_start)) {
    std::sort(intervals.begin(), intervals.end(), by_start);
  }
  return FromSorted(intervals);
}

IntervalSet IntervalSet::FromSorted(std::span<const Interval> intervals) {
  IntervalSet result;
  for (const Interval& interval : intervals) result.Append(interval);
  return result;
}

DurationNs IntervalSet::Length() const {
  DurationNs total = 0;
  for (const Interval& interval : intervals_) total += interval.end - interval.start;
  return total;
}

DurationNs IntervalSet::LengthWithin(Interval window) const {
  if (window.end <= window.start) return 0;
  DurationNs total = 0;
  auto it = std::partition_point(intervals_.begin(), intervals_.end(),
                                 [&](const Interval& i) { return i.end <= window.start; });
  for (; it != intervals_.end() && it->start < window.end; ++it) {
    total += std::min(it->end, window.end) - std::max(it->start, window.start);
  }
  return total;
}

bool IntervalSet::Contains(TimeNs time) const {
  const auto after = std::partition_point(intervals_.begin(), intervals_.end(),
                                          [&](const Interval& i) { return i.start <= time; });
  return after != intervals_.begin() && time < (after - 1)->end;
}

IntervalSet IntervalSet::Union(const IntervalSet& other) const {
  IntervalSet result;
  auto a = intervals_.begin();
  auto b = other.intervals_.begin();
  while (a != intervals_.end() || b != other.intervals_.end()) {
    const bool take_a =
        b == other.intervals_.end() || (a != intervals_.end() && a->start <= b->start);
    result.Append(take_a ? *a++ : *b++);
  }
  return result;
}

IntervalSet IntervalSet::Intersect(const IntervalSet& other) const {
  IntervalSet result;
  auto a = intervals_.begin();
  auto b = other.intervals_.begin();
  while (a != intervals_.end() && b != other.intervals_.end()) {
    result.Append({std::max(a->start, b->start), std::min(a->end, b->end)});
    if (a->end < b->end) {
      ++a;
    } else {
      ++b;
    }
  }
  return result;
}

IntervalSet IntervalSet::Subtract(const IntervalSet& other) const {
  IntervalSet result;
  auto b = other.intervals_.begin();
  for (const Interval& interval : intervals_) {
    TimeNs from = interval.start;
    while (b != other.intervals_.end() && b->end <= from) ++b;
    for (auto cut = b; cut != other.intervals_.end() && cut->start < interval.end; ++cut) {
      result.Append({from, cut->start});
      from = std::max(from, cut->end);
    }
    result.Append({from, interval.end});
  }
  return result;
}

IntervalSet IntervalSet::Clip(Interval window) const {
  IntervalSet result;
  auto it = std::partition_point(intervals_.begin(), intervals_.end(),
                                 [&](const Interval& i) { return i.end <= window.start; });
  for (; it != intervals_.end() && it->start < window.end; ++it) {
    result.Append({std::max(it->start, window.start), std::min(it->end, window.end)});
  }
  return result;
}

}  // namespace warpsight
