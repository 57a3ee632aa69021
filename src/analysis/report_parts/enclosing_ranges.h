#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/report_parts/user_ranges.h"
#include "analysis/reporting/report.h"

namespace warpsight {

// The user ranges of a thread that contain an API call or another range completely. They are found
// by a sweep over user ranges alone rather than through host.parent, since a Python frame may
// outlive the annotation in which it began (the call of profiler.step() ends in the next
// ProfilerStep). Ranges are numbered as in ranges().
class EnclosingRanges {
 public:
  explicit EnclosingRanges(ProfileView profile);

  const std::vector<UserRange>& ranges() const { return ranges_; }

  // Calls visit(number) for each range around a call, innermost first.
  template <typename Visit>
  void ForEachAroundCall(ApiId call, Visit visit) const {
    const ApiCallsTable& api = tables_.api;
    Walk(around_call_[Index(call)], api.start[Index(call)] + api.duration[Index(call)], visit);
  }
  // The same for the ranges around a range.
  template <typename Visit>
  void ForEachAroundRange(size_t range, Visit visit) const {
    Walk(around_range_[range], ranges_[range].end, visit);
  }

 private:
  static constexpr uint32_t kNoRange = UINT32_MAX;

  template <typename Visit>
  void Walk(uint32_t range, TimeNs end, Visit visit) const {
    for (; range != kNoRange; range = around_range_[range]) {
      // Ranges may also overlap without nesting: the outer one may end earlier.
      if (ranges_[range].end >= end) visit(size_t{range});
    }
  }

  const TraceTables& tables_;
  std::vector<UserRange> ranges_;
  std::vector<uint32_t> around_call_;  // by API call: the innermost range that is open at its start
  std::vector<uint32_t> around_range_;  // the same by range
};

// Adds a note about the amount of GPU work that was launched outside every range, and therefore is
// not in the report.
void NoteWorkOutsideRanges(int64_t outside, int64_t all, std::string_view what, RowSink& sink);

}  // namespace warpsight
