#include "analysis/report_parts/user_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace warpsight {
namespace {

// By source: whether its ranges are in nvtx_ranges.
std::vector<bool> SourcesWithNvtx(const Trace& trace) {
  std::vector<bool> result(RowCount(trace.tables.sources));
  for (const ThreadId thread : trace.tables.nvtx.thread) {
    result[Index(trace.SourceOf(thread))] = true;
  }
  return result;
}

bool IsUserRange(HostKind kind) {
  return kind == HostKind::kAnnotation || kind == HostKind::kModule;
}

}  // namespace

std::vector<UserRange> UserRangesOf(const Trace& trace) {
  const NvtxRangesTable& nvtx = trace.tables.nvtx;
  const HostRangesTable& host = trace.tables.host;
  std::vector<UserRange> ranges;
  ranges.reserve(nvtx.start.size());
  for (size_t i = 0; i < nvtx.start.size(); ++i) {
    ranges.push_back({nvtx.start[i], nvtx.start[i] + nvtx.duration[i], nvtx.text[i], nvtx.domain[i],
                      nvtx.thread[i], nvtx.style[i], kNone<HostId>});
  }
  const std::vector<bool> with_nvtx = SourcesWithNvtx(trace);
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (!IsUserRange(host.kind[h])) continue;
    if (!nvtx.start.empty() && with_nvtx[Index(trace.SourceOf(host.thread[h]))]) continue;
    ranges.push_back({host.start[h], host.start[h] + host.duration[h], host.name[h],
                      StringId::kEmpty, host.thread[h], NvtxStyle::kPushPop, MakeId<HostId>(h)});
  }
  // Both lists are in order.
  const auto before = [](const UserRange& a, const UserRange& b) {
    return std::tuple(a.start, -a.end) < std::tuple(b.start, -b.end);
  };
  std::inplace_merge(ranges.begin(), ranges.begin() + static_cast<ptrdiff_t>(nvtx.start.size()),
                     ranges.end(), before);
  return ranges;
}

RowLink PlaceOfRange(const UserRange& range) {
  return IsSet(range.host) ? RowLink::To(range.host)
                           : RowLink::To(Interval{range.start, range.end});
}

std::string NameOfRange(const Trace& trace, StringId domain, StringId text) {
  return fmt::format("{}:{}", trace.Text(domain), trace.Text(text));
}

std::string_view ToString(NvtxStyle style) {
  return style == NvtxStyle::kPushPop ? "PushPop" : "StartEnd";
}

}  // namespace warpsight
