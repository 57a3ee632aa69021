#include "analysis/aggregation/sm_use.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "analysis/roofline/occupancy.h"

namespace warpsight {
namespace {

// If more than this share of the time has no value, the mean is not available (our choice, the same
// as for MFU).
constexpr double kMaxUnknown = 0.05;

// Product of three recorded numbers; kMissingReal unless all are positive.
double Product(int64_t x, int64_t y, int64_t z) {
  if (x <= 0 || y <= 0 || z <= 0) return kMissingReal;
  return static_cast<double>(x) * static_cast<double>(y) * static_cast<double>(z);
}

// The time average over a window of the sum of all values at each moment, where the sum is limited
// to 1.
class CappedAverage {
 public:
  void Add(Interval time, double value) {
    changes_.emplace_back(time.start, value);
    changes_.emplace_back(time.end, -value);
  }

  double Over(DurationNs window) {
    // At equal times, decreases come first. Otherwise the sum would include both for an empty
    // interval.
    std::sort(changes_.begin(), changes_.end());
    double sum = 0;
    double value = 0;
    TimeNs last = 0;
    for (const auto& [time, change] : changes_) {
      sum += std::clamp(value, 0.0, 1.0) * static_cast<double>(time - last);
      value += change;
      last = time;
    }
    return sum / static_cast<double>(window);
  }

 private:
  std::vector<std::pair<TimeNs, double>> changes_;
};

}  // namespace

LaunchFill FillOf(const Trace& trace, GpuId gpu) {
  const GpuActivitiesTable& table = trace.tables.gpu;
  const LaunchConfigId id = table.launch_config[Index(gpu)];
  if (table.kind[Index(gpu)] != GpuKind::kKernel || !IsSet(id)) return {};
  const LaunchConfigsTable& t = trace.tables.launch_configs;
  const size_t c = Index(id);
  // Kineto writes 0 for both if it does not know the GPU.
  if (t.blocks_per_sm[c] > 0) {
    return {t.blocks_per_sm[c], std::min(t.occupancy_percent[c], 100.0)};
  }
  const DeviceId device = trace.DeviceOf(table.stream[Index(gpu)]);
  const auto sms = static_cast<double>(trace.tables.devices.sms[Index(device)]);
  const double blocks = Product(t.grid_x[c], t.grid_y[c], t.grid_z[c]);
  if (sms <= 0 || blocks < 0) return {};
  LaunchFill fill{blocks / sms, kMissingReal};
  const std::optional<GpuLimits> limits = RecordedLimitsOf(trace, device);
  std::optional<LaunchShape> launch = LaunchOf(trace, gpu);
  if (!limits || !launch) return fill;
  if (t.occupancy_percent[c] > 0) {
    // Registers and shared memory were not recorded; the recorded occupancy already includes their
    // effect.
    launch->registers = launch->shared_bytes = 0;
    fill.occupancy_percent =
        std::min(t.occupancy_percent[c], AchievedOccupancyPercent(*launch, *limits));
  } else if (launch->registers > 0) {
    fill.occupancy_percent = AchievedOccupancyPercent(*launch, *limits);
  }
  return fill;
}

void MeanFill::Add(const LaunchFill& fill, DurationNs duration) {
  all_time_ += duration;
  const auto weight = static_cast<double>(duration);
  if (fill.blocks_per_sm >= 0) {
    blocks_ += fill.blocks_per_sm * weight;
    blocks_time_ += duration;
  }
  if (fill.occupancy_percent >= 0) {
    occupancy_ += fill.occupancy_percent * weight;
    occupancy_time_ += duration;
  }
}

void MeanFill::Merge(const MeanFill& other) {
  blocks_ += other.blocks_;
  occupancy_ += other.occupancy_;
  blocks_time_ += other.blocks_time_;
  occupancy_time_ += other.occupancy_time_;
  all_time_ += other.all_time_;
}

double MeanFill::Mean(double sum, DurationNs time) const {
  const auto unknown = static_cast<double>(all_time_ - time);
  if (time <= 0 || unknown > kMaxUnknown * static_cast<double>(all_time_)) return kMissingReal;
  return sum / static_cast<double>(time);
}

std::vector<SmUse> SmUses(const ReportInput& input) {
  const Trace& trace = input.profile.trace;
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  std::vector<SmUse> uses(RowCount(trace.tables.devices));
  std::vector<Interval> windows(uses.size(), Interval{0, 0});
  for (const GpuUse& use : input.range.gpus) windows[Index(use.device)] = use.window;
  std::vector<MeanFill> means(uses.size());
  std::vector<CappedAverage> efficiency(uses.size());
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    if (gpu.kind[g] != GpuKind::kKernel) continue;
    const size_t d = Index(trace.DeviceOf(gpu.stream[g]));
    const Interval part{std::max(gpu.start[g], windows[d].start),
                        std::min(gpu.start[g] + gpu.duration[g], windows[d].end)};
    if (part.end <= part.start) continue;
    const LaunchFill fill = FillOf(trace, MakeId<GpuId>(g));
    means[d].Add(fill, part.end - part.start);
    if (fill.blocks_per_sm > 0) efficiency[d].Add(part, fill.blocks_per_sm);
  }
  for (size_t d = 0; d < uses.size(); ++d) {
    uses[d].occupancy_percent = means[d].OccupancyPercent();
    uses[d].blocks_per_sm = means[d].BlocksPerSm();
    const DurationNs window = windows[d].end - windows[d].start;
    if (uses[d].blocks_per_sm >= 0 && window > 0) {
      uses[d].sm_efficiency_percent = 100 * efficiency[d].Over(window);
    }
  }
  return uses;
}

}  // namespace warpsight
