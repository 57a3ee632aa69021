#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "model/profile.h"

namespace warpsight {

// A call of an op with the GPU work that it launched. As in reports, it is the outermost framework
// op.
struct StepOp {
  HostId op;
  Direction direction = Direction::kForward;
  IterationId iteration;
  uint32_t first = 0;  // position of its GPU work in StepWork's list
  uint32_t count = 0;
  DurationNs gpu_time = 0;  // plain sum
};

// The work of the aggregated iterations, sorted once for all rules.
class StepWork {
 public:
  StepWork(ProfileView profile, const RangeSummary& range);

  // Ops that started GPU work, in timeline order.
  std::span<const StepOp> ops() const { return ops_; }
  // In the order in which the work ran.
  std::span<const GpuId> GpuWorkOf(const StepOp& op) const {
    return {gpu_.data() + op.first, op.count};
  }
  // All GPU work of the iterations, whether an op started it or not, in timeline order.
  std::span<const GpuId> gpu() const { return all_; }
  // The position in ops() of the op that launched the work, or kNoOp.
  uint32_t OpOf(GpuId gpu) const { return op_of_gpu_[Index(gpu)]; }
  static constexpr uint32_t kNoOp = UINT32_MAX;

  bool IsKernel(GpuId gpu) const {
    return profile_.trace.tables.gpu.kind[Index(gpu)] == GpuKind::kKernel;
  }
  DurationNs DurationOf(GpuId gpu) const { return profile_.trace.tables.gpu.duration[Index(gpu)]; }
  // The class of a kernel.
  const KernelKind& KindOf(GpuId gpu) const {
    return profile_.facts.KindOf(profile_.trace.tables.gpu.name[Index(gpu)]);
  }
  std::string_view NameOf(const StepOp& op) const {
    return profile_.trace.Text(profile_.trace.tables.host.name[Index(op.op)]);
  }
  // The sum of the iterations' kernel durations.
  DurationNs kernel_time() const { return kernel_time_; }

 private:
  ProfileView profile_;
  std::vector<StepOp> ops_;
  std::vector<GpuId> gpu_;  // by op
  std::vector<GpuId> all_;
  std::vector<uint32_t> op_of_gpu_;  // by row of gpu_activities
  DurationNs kernel_time_ = 0;
};

}  // namespace warpsight
