#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/reporting/report.h"

namespace warpsight {

// What NVTX ranges are to Nsight Systems: a user's annotations and the framework's modules.
inline bool IsUserRange(HostKind kind) {
  return kind == HostKind::kAnnotation || kind == HostKind::kModule;
}

// How Nsight Systems calls ranges that nest on a thread; all user ranges of a trace do.
inline constexpr std::string_view kPushPop = "PushPop";

// The user ranges that were open on a thread when an API call or another range began. Found by one
// sweep over user ranges alone, not through host.parent: a Python frame may outlive the annotation
// in which it began (the call of profiler.step() ends in the next ProfilerStep).
class EnclosingRanges {
 public:
  explicit EnclosingRanges(ProfileView profile);

  // visit(HostId) for each range around a call, the innermost first.
  template <typename Visit>
  void ForEachAroundCall(ApiId call, Visit visit) const {
    Walk(around_call_[Index(call)], tables_.api.start[Index(call)], visit);
  }
  // The same for the ranges around a user range.
  template <typename Visit>
  void ForEachAroundRange(HostId range, Visit visit) const {
    Walk(around_range_[Index(range)], tables_.host.start[Index(range)], visit);
  }

 private:
  template <typename Visit>
  void Walk(HostId range, TimeNs time, Visit visit) const {
    const HostRangesTable& host = tables_.host;
    for (; IsSet(range); range = around_range_[Index(range)]) {
      // Ranges that only overlap: the outer one may have ended already.
      if (host.start[Index(range)] + host.duration[Index(range)] > time) visit(range);
    }
  }

  const TraceTables& tables_;
  std::vector<HostId> around_call_;   // by API call: the innermost
  std::vector<HostId> around_range_;  // by host range: the innermost; set for user ranges only
};

// Says how much of the GPU work was launched outside every range and is not in the report.
void NoteWorkOutsideRanges(int64_t outside, int64_t all, std::string_view what, RowSink& sink);

}  // namespace warpsight
