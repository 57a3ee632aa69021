#include "analysis/roofline/model_flops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "analysis/roofline/matrix_ranks.h"

namespace warpsight {
namespace {

// "1.23 TFLOP", in powers of 1000.
std::string FormatFlops(double flops) {
  static constexpr std::array<std::string_view, 7> kUnits = {"", "k", "M", "G", "T", "P", "E"};
  size_t unit = 0;
  while (flops >= 1000 && unit + 1 < kUnits.size()) {
    flops /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}FLOP", flops, kUnits[unit]);
}

// If more than this share of the matrix kernels' time has no known FLOPs, their sum does not
// represent the whole step. Our choice.
constexpr double kMaxUncounted = 0.05;

// The time of kernels in a range: of those that compute matrix products, and of those whose FLOPs
// are unknown.
struct MatrixTime {
  DurationNs all = 0;
  DurationNs uncounted = 0;
  int64_t gpus = 0;
};

MatrixTime MeasureMatrixTime(ProfileView profile, const RangeSummary& range,
                             const CostModel& model) {
  const TraceTables& tables = profile.trace.tables;
  const FactTables& facts = profile.facts;
  const std::vector<uint8_t> ranks = MatrixRanks(profile);
  std::vector<uint8_t> used(RowCount(tables.devices), 0);
  MatrixTime time;
  for (size_t i = 0; i < RowCount(tables.gpu); ++i) {
    if (!range.Contains(profile, facts.gpu.iteration[i])) continue;
    const DeviceId device = profile.trace.DeviceOf(tables.gpu.stream[i]);
    used[Index(device)] = 1;
    if (tables.gpu.kind[i] != GpuKind::kKernel || ranks[facts.KernelRow(tables.gpu.name[i])] == 0) {
      continue;
    }
    time.all += tables.gpu.duration[i];
    const HostId op = facts.gpu.op[i];
    const HostId counted = IsSet(op) ? facts.host.op[Index(op)] : op;
    const bool known = model.IsStated(MakeId<GpuId>(i))
                           ? IsKnown(model.CostOf(MakeId<GpuId>(i)).flops)
                           : IsKnown(model.CostOf(counted).flops);
    if (!known) time.uncounted += tables.gpu.duration[i];
  }
  time.gpus = std::count(used.begin(), used.end(), 1);
  return time;
}

std::string WhyNoFlops(ProfileView profile) {
  const TraceTables& tables = profile.trace.tables;
  if (RowCount(tables.host) == 0) return "the trace contains no CPU ops";
  if (RowCount(tables.signatures) == 0) {
    return "the trace contains no shapes (record them with record_shapes=True)";
  }
  return "no matrix product with known shapes launched GPU work";
}

}  // namespace

ModelFlops ComputeModelFlops(ProfileView profile, const RangeSummary& range,
                             const CostModel& model) {
  ModelFlops result;
  constexpr size_t kFormats = static_cast<size_t>(Precision::kInt8) + 1;
  std::array<double, kFormats> by_format{};
  for (size_t h = 0; h < RowCount(profile.trace.tables.host); ++h) {
    const HostId op = MakeId<HostId>(h);
    const HostFactsTable& facts = profile.facts.host;
    if (facts.op[h] != op || !range.Contains(profile, facts.iteration[h])) continue;
    const OpCost cost = model.CostOf(op);
    if (cost.known()) by_format[static_cast<size_t>(cost.precision)] += cost.matrix_flops;
  }
  for (size_t g = 0; g < RowCount(profile.trace.tables.gpu); ++g) {
    const GpuId gpu = MakeId<GpuId>(g);
    if (!model.IsStated(gpu) || !range.Contains(profile, profile.facts.gpu.iteration[g])) continue;
    const OpCost cost = model.CostOf(gpu);
    if (cost.known()) by_format[static_cast<size_t>(cost.precision)] += cost.matrix_flops;
  }
  const MatrixTime time = MeasureMatrixTime(profile, range, model);
  result.gpus = time.gpus;
  double total = 0;
  for (const double flops : by_format) total += flops;
  if (total <= 0) {
    result.reason = WhyNoFlops(profile);
    return result;
  }
  const double uncounted =
      time.all == 0 ? 0 : static_cast<double>(time.uncounted) / static_cast<double>(time.all);
  if (uncounted > kMaxUncounted) {
    result.reason =
        fmt::format("{:.0f} % of the time of kernels that do matrix products has no known FLOPs",
                    100 * uncounted);
    return result;
  }
  const auto iterations = static_cast<double>(range.last - range.first + 1);
  result.flops_per_iteration = total / iterations;
  result.precision = static_cast<Precision>(std::max_element(by_format.begin(), by_format.end()) -
                                            by_format.begin());
  if (range.wall > 0 && result.gpus > 0) {
    result.rate =
        total / (static_cast<double>(range.wall) * 1e-9) / static_cast<double>(result.gpus);
  }
  if (!model.peaks()) {
    result.reason = "the peaks of the GPU are unknown";
    return result;
  }
  result.peak = model.peaks()->Peak(result.precision, true);
  if (!IsKnown(result.peak)) {
    result.reason = fmt::format("the peak of {} is unknown", ToString(result.precision));
    return result;
  }
  if (IsKnown(result.rate)) result.utilization = result.rate / result.peak;
  return result;
}

std::string DescribeModelFlops(const ModelFlops& flops) {
  if (!IsKnown(flops.flops_per_iteration)) {
    return fmt::format("Model FLOPs are not available: {}.", flops.reason);
  }
  std::string text =
      fmt::format("{} of matrix products per iteration", FormatFlops(flops.flops_per_iteration));
  if (IsKnown(flops.rate)) {
    text += fmt::format(", {}/s{}", FormatFlops(flops.rate), flops.gpus > 1 ? " per GPU" : "");
  }
  if (!IsKnown(flops.utilization)) {
    return fmt::format("{}; MFU is not available: {}.", text,
                       flops.reason.empty() ? "the step took no time" : flops.reason);
  }
  const double percent = 100 * flops.utilization;
  return fmt::format("{}: MFU {} % of the {} peak of {}/s (estimated).", text,
                     percent < 0.1 ? "<0.1" : fmt::format("{:.1f}", percent),
                     ToString(flops.precision), FormatFlops(flops.peak));
}

}  // namespace warpsight
