#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/reporting/report.h"

namespace warpsight {

// A range as Nsight Systems counts it.
struct UserRange {
  TimeNs start;
  TimeNs end;
  StringId text;
  StringId domain;
  ThreadId thread;
  NvtxStyle style;
  HostId host;  // none for rows of nvtx_ranges
};

// The ranges of a trace in timeline order. If NVTX was recorded, these are all NVTX ranges,
// including those of ops; for other sources, annotations and modules, as ranges of the default
// domain.
std::vector<UserRange> UserRangesOf(const Trace& trace);

// The place of a range on the timeline.
RowLink PlaceOfRange(const UserRange& range);

// "domain:text", as Nsight Systems writes it; the default domain has an empty name.
std::string NameOfRange(const Trace& trace, StringId domain, StringId text);

// "PushPop" or "StartEnd".
std::string_view ToString(NvtxStyle style);

}  // namespace warpsight
