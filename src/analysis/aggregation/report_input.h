#pragma once

#include <optional>

#include "analysis/accounting/range_summary.h"
#include "analysis/roofline/gpu_peaks.h"
#include "model/profile.h"

namespace warpsight {

class ReportCache;

// What a report is computed from: a profile and the range of iterations it is about.
struct ReportInput {
  ProfileView profile;
  const RangeSummary& range;
  // Peaks of the GPU that the user gave; they go before those in the table.
  std::optional<GpuPeaks> peaks = std::nullopt;
  // Where several reports are computed from one input: what they share (report_cache.h).
  ReportCache* cache = nullptr;
};

}  // namespace warpsight
