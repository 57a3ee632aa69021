#include "analysis/reporting/enclosing_ranges.h"

#include <fmt/format.h>

#include "analysis/reporting/format.h"

namespace warpsight {

EnclosingRanges::EnclosingRanges(ProfileView profile)
    : tables_(profile.trace.tables),
      around_call_(tables_.api.start.size(), kNone<HostId>),
      around_range_(tables_.host.start.size(), kNone<HostId>) {
  const HostRangesTable& host = tables_.host;
  const ApiCallsTable& api = tables_.api;
  std::vector<HostId> open(tables_.threads.tid.size(), kNone<HostId>);  // by thread: the innermost
  const auto innermost = [&](ThreadId thread, TimeNs time) {
    HostId& range = open[Index(thread)];
    while (IsSet(range) && host.start[Index(range)] + host.duration[Index(range)] <= time) {
      range = around_range_[Index(range)];
    }
    return range;
  };
  size_t h = 0;
  const auto open_until = [&](TimeNs time) {
    for (; h < host.start.size() && host.start[h] <= time; ++h) {
      if (!IsUserRange(host.kind[h])) continue;
      around_range_[h] = innermost(host.thread[h], host.start[h]);
      open[Index(host.thread[h])] = MakeId<HostId>(h);
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
                  "for instance by "
                  "a backward thread, and are not listed.",
                  FormatCount(outside), FormatCount(all), what));
}

}  // namespace warpsight
