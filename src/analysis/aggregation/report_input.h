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
  // The results shared by reports on the same input (report_cache.h); may be null.
  ReportCache* cache = nullptr;
};

}  // namespace warpsight
