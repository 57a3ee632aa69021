#include "analysis/advice/step_work.h"

#include <algorithm>

namespace warpsight {

StepWork::StepWork(ProfileView profile, const RangeSummary& range)
    : profile_(profile), op_of_gpu_(profile.trace.tables.gpu.start.size(), kNoOp) {
  const Trace& trace = profile.trace;
  const FactTables& facts = profile.facts;
  // The outermost op of every activity, then positions by op.
  std::vector<uint32_t> count_of_host(trace.tables.host.start.size());
  const auto outermost = [&](size_t g) {
    const HostId inner = facts.gpu.op[g];
    if (!IsSet(inner)) return kNone<HostId>;
    const HostId outer = facts.host.op[Index(inner)];
    return IsSet(outer) ? outer : inner;
  };
  for (size_t g = 0; g < op_of_gpu_.size(); ++g) {
    if (!range.Contains(profile, facts.gpu.iteration[g])) continue;
    all_.push_back(MakeId<GpuId>(g));
    if (IsKernel(all_.back())) kernel_time_ += DurationOf(all_.back());
    const HostId op = outermost(g);
    if (IsSet(op)) ++count_of_host[Index(op)];
  }
  std::vector<uint32_t> op_of_host(count_of_host.size(), kNoOp);
  uint32_t next = 0;
  for (size_t h = 0; h < count_of_host.size(); ++h) {
    if (count_of_host[h] == 0) continue;
    op_of_host[h] = static_cast<uint32_t>(ops_.size());
    StepOp op;
    op.op = MakeId<HostId>(h);
    op.direction = facts.host.direction[h];
    op.first = next;
    next += count_of_host[h];
    ops_.push_back(op);
  }
  gpu_.resize(next);
  for (const GpuId gpu : all_) {
    const HostId host = outermost(Index(gpu));
    if (!IsSet(host)) continue;
    const uint32_t position = op_of_host[Index(host)];
    StepOp& op = ops_[position];
    op_of_gpu_[Index(gpu)] = position;
    op.iteration = facts.gpu.iteration[Index(gpu)];
    gpu_[op.first + op.count++] = gpu;
    op.gpu_time += DurationOf(gpu);
  }
}

}  // namespace warpsight
