#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/aggregation/op_table.h"
#include "analysis/aggregation/sm_use.h"
#include "analysis/roofline/measured_kernels.h"

namespace warpsight {

// How often and how long one kernel, copy or memset ran for one op.
struct KernelUse {
  StringId name = StringId::kEmpty;
  uint32_t op = 0;  // row in OpTable::ops()
  GpuKind kind = GpuKind::kKernel;
  TensorCores tensor_cores = TensorCores::kNo;
  bool tensor_cores_measured = false;  // by hardware counters
  bool tensor_cores_by_name = false;   // otherwise according to its name or its operands' formats
  bool in_eligible_op = false;
  Tally gpu;
  // Calls that launched it. A call that launches many activities (a graph launch) counts once, for
  // the first of them, so that no time is counted twice.
  Tally api;
  GpuId longest = kNone<GpuId>;  // the first of its longest runs
  MeasuredSum counters;          // of kernels only
  MeanFill fill;                 // of kernels only

  // Adds the runs of another kernel of the same op.
  void Merge(const KernelUse& other);
};

// The GPU work of the aggregated iterations by op and name, ordered by descending GPU time. Linear
// in the number of activities.
std::vector<KernelUse> KernelUses(const ReportInput& input, const OpTable& ops);

// The name without arguments and namespaces; copies and memsets keep their names.
std::string_view ShortName(ProfileView profile, GpuKind kind, StringId name);
inline std::string_view ShortName(ProfileView profile, const KernelUse& use) {
  return ShortName(profile, use.kind, use.name);
}

// The kernels of the aggregated iterations of one short name, or the copies or memsets of one name.
struct WorkGroup {
  std::string_view name;
  TensorCores tensor_cores = TensorCores::kNo;  // one short name may have kernels of both kinds
  int64_t count = 0;
  DurationNs gpu = 0;
};

// By falling GPU time, then by name. From kernel_uses: they need no events.
std::vector<WorkGroup> GroupKernels(ProfileView profile);
std::vector<WorkGroup> GroupCopies(ProfileView profile);

// All GPU work of the aggregated iterations by what it is; plain sums, as DLProf's.
struct KernelTotals {
  struct Part {
    DurationNs gpu = 0;
    DurationNs api = 0;
    int64_t count = 0;
  };
  Part all;
  Part tensor_cores;
  Part memory;  // copies and memsets
  Part other;
  // Kernels inside ops that can use Tensor Cores.
  DurationNs eligible = 0;
  DurationNs eligible_on_tensor_cores = 0;
  DurationNs eligible_unknown = 0;   // whether they use them is unknown
  DurationNs eligible_measured = 0;  // whether they use them was measured with hardware counters

  // Tensor Core kernel efficiency, 0..1; negative if there is no eligible kernel time.
  double Efficiency() const;
};

KernelTotals SumKernels(const FactTables& facts);

}  // namespace warpsight
