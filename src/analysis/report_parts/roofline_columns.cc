#include "analysis/report_parts/roofline_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "analysis/roofline/model_flops.h"
#include "analysis/text/format.h"

namespace warpsight {

void NoteAboutRoofline(const ReportInput& input, const CostModel& model, const RooflineTable& table,
                       RowSink& sink) {
  DurationNs all = 0;
  DurationNs known = 0;
  constexpr size_t kGaps = static_cast<size_t>(CostGap::kAuxiliaryKernel) + 1;
  std::array<DurationNs, kGaps> by_gap{};
  for (const CostedWork& op : table.ops()) {
    all += op.time;
    known += op.known_time;
    by_gap[static_cast<size_t>(op.gap)] += op.time - op.known_time;
  }
  if (all == 0) {
    sink.Note("No GPU work of the analyzed steps has a duration.");
    return;
  }
  sink.Note(model.DescribePeaks());
  sink.Note(DescribeModelFlops(ComputeModelFlops(input.profile, input.range, model)));
  const auto share = [all](DurationNs part) {
    return FormatShare(static_cast<double>(part), static_cast<double>(all));
  };
  if (known == all) return;
  std::string reasons;
  for (size_t gap = 0; gap < kGaps; ++gap) {
    if (by_gap[gap] == 0 || gap == 0) continue;
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : ", ",
                           ToString(static_cast<CostGap>(gap)), share(by_gap[gap]));
  }
  sink.Note(
      fmt::format("FLOPs and bytes are known for {} of the GPU time, but not for the rest ({}).",
                  share(known), reasons));
}

Cell MeasuredBytesCell(const MeasuredSum& counters) { return CountCell(counters.DramBytes()); }

Cell MeasuredBandwidthCell(const MeasuredSum& counters, const std::optional<GpuPeaks>& peaks) {
  const double rate = counters.DramBytesPerSecond();
  if (!IsKnown(rate) || !peaks || !IsKnown(peaks->bandwidth)) return {};
  return 100 * rate / peaks->bandwidth;
}

Cell RealCell(double value, double scale) { return IsKnown(value) ? Cell(value / scale) : Cell(); }

Cell CountCell(double value) {
  constexpr double kMost = 9e18;
  return IsKnown(value) ? Cell(static_cast<int64_t>(std::min(value, kMost))) : Cell();
}

Cell TextCell(std::string_view text) { return text.empty() ? Cell() : Cell(text); }

Cell NumberFormatCell(const CostedWork& work) {
  const bool known = work.known() && work.cost.precision != Precision::kUnknown;
  return known ? Cell(ToString(work.cost.precision)) : Cell();
}

Cell CostSourceCell(const CostedWork& work) {
  if (!work.known()) return TextCell(ToString(work.gap));
  return Cell(work.cost.measured ? "measured" : "estimated");
}

}  // namespace warpsight
