#pragma once

#include <optional>

#include "analysis/accounting/range_summary.h"
#include "analysis/roofline/gpu_peaks.h"
#include "model/profile.h"

namespace warpsight {

class ReportCache;

// The input of a report: a profile and its range of iterations.
struct ReportInput {
  ProfileView profile;
  const RangeSummary& range;
  // Peaks of the GPU specified by the user; they override those in the table.
  std::optional<GpuPeaks> peaks = std::nullopt;
  // Where several reports are computed from one input: what they share (report_cache.h).
  ReportCache* cache = nullptr;
};

}  // namespace warpsight
