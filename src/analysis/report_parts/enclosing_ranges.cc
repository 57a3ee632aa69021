#include "analysis/report_parts/enclosing_ranges.h"

#include <fmt/format.h>

#include "analysis/text/format.h"

namespace warpsight {

EnclosingRanges::EnclosingRanges(ProfileView profile)
    : tables_(profile.trace.tables),
      ranges_(UserRangesOf(profile.trace)),
      around_call_(tables_.api.start.size(), kNoRange),
      around_range_(ranges_.size(), kNoRange) {
  const ApiCallsTable& api = tables_.api;
  // By thread: the innermost open range.
  std::vector<uint32_t> open(tables_.threads.tid.size(), kNoRange);
  const auto innermost = [&](ThreadId thread, TimeNs time) {
    uint32_t& range = open[Index(thread)];
    while (range != kNoRange && ranges_[range].end <= time) range = around_range_[range];
    return range;
  };
  uint32_t next = 0;
  const auto open_until = [&](TimeNs time) {
    for (; next < ranges_.size() && ranges_[next].start <= time; ++next) {
      const UserRange& range = ranges_[next];
      around_range_[next] = innermost(range.thread, range.start);
      open[Index(range.thread)] = next;
    }
  };
  for (size_t a = 0; a < api.start.size(); ++a) {
    open_until(api.start[a]);
    around_call_[a] = innermost(api.thread[a], api.start[a]);
  }
  open_until(profile.trace.end);
}

void NoteWorkOutsideRanges(int64_t outside, int64_t all, std::string_view what, RowSink& sink) {
  if (outside == 0) return;
  sink.Note(
      fmt::format("{} of {} {} were launched outside every annotation and module of their thread, "
                  "for example by a backward thread, and are not listed.",
                  FormatCount(outside), FormatCount(all), what));
}

}  // namespace warpsight
