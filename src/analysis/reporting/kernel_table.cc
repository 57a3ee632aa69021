#include "analysis/reporting/kernel_table.h"

#include <algorithm>
#include <tuple>

#include "model/hash_map.h"

namespace warpsight {

void KernelUse::Merge(const KernelUse& other) {
  if (other.gpu.max > gpu.max) {
    name = other.name;
    longest = other.longest;
  }
  const bool uses = tensor_cores == TensorCores::kYes || other.tensor_cores == TensorCores::kYes;
  const bool unknown =
      tensor_cores == TensorCores::kUnknown || other.tensor_cores == TensorCores::kUnknown;
  tensor_cores = uses ? TensorCores::kYes : unknown ? TensorCores::kUnknown : TensorCores::kNo;
  tensor_cores_measured = tensor_cores_measured && other.tensor_cores_measured;
  tensor_cores_by_name = tensor_cores_by_name && other.tensor_cores_by_name;
  in_eligible_op = in_eligible_op || other.in_eligible_op;
  gpu.Merge(other.gpu);
  api.Merge(other.api);
  counters.Merge(other.counters);
  fill.Merge(other.fill);
}

std::vector<KernelUse> KernelUses(const ReportInput& input, const OpTable& ops) {
  const GpuActivitiesTable& gpu = input.profile.trace.tables.gpu;
  const ApiCallsTable& api = input.profile.trace.tables.api;
  const FactTables& facts = input.profile.facts;
  const MeasuredKernels measured(input.profile.trace);
  std::vector<uint8_t> api_counted(api.start.size(), 0);
  std::vector<KernelUse> uses;
  HashMap<std::tuple<StringId, uint32_t, bool>, size_t> rows;
  for (size_t i = 0; i < gpu.start.size(); ++i) {
    const GpuId id = MakeId<GpuId>(i);
    const uint32_t op = ops.RowOf(id);
    if (op == OpTable::kOutside) continue;
    const bool eligible = ops.InEligibleOp(id);
    const auto [at, is_new] = rows.try_emplace(std::tuple(gpu.name[i], op, eligible), uses.size());
    if (is_new) {
      KernelUse use;
      use.name = gpu.name[i];
      use.op = op;
      use.kind = gpu.kind[i];
      if (use.kind == GpuKind::kKernel) {
        use.tensor_cores = facts.TensorCoresOf(use.name);
        use.tensor_cores_measured = facts.TensorCoresMeasured(use.name);
        use.tensor_cores_by_name =
            facts.kernel_names.tensor_cores_by_name[facts.KernelRow(use.name)] !=
            TensorCores::kUnknown;
      }
      use.in_eligible_op = eligible;
      uses.push_back(use);
    }
    KernelUse& use = uses[at->second];
    if (is_new || gpu.duration[i] > use.gpu.max) use.longest = id;
    use.gpu.Add(gpu.duration[i]);
    if (use.kind == GpuKind::kKernel) {
      use.counters.Add(measured.Find(id), gpu.duration[i]);
      use.fill.Add(FillOf(input.profile.trace, id), gpu.duration[i]);
    }
    const ApiId call = facts.gpu.api[i];
    if (IsSet(call) && api_counted[Index(call)] == 0) {
      api_counted[Index(call)] = 1;
      use.api.Add(api.duration[Index(call)]);
    }
  }
  std::stable_sort(uses.begin(), uses.end(), [](const KernelUse& a, const KernelUse& b) {
    return a.gpu.total > b.gpu.total;
  });
  return uses;
}

std::string_view ShortName(ProfileView profile, const KernelUse& use) {
  if (use.kind != GpuKind::kKernel) return profile.trace.Text(use.name);
  const FactTables& facts = profile.facts;
  return profile.trace.Text(facts.kernel_names.short_name[facts.KernelRow(use.name)]);
}

double KernelTotals::Efficiency() const {
  if (eligible == 0) return -1;
  return static_cast<double>(eligible_on_tensor_cores) / static_cast<double>(eligible);
}

KernelTotals SumKernels(const std::vector<KernelUse>& uses) {
  KernelTotals totals;
  const auto add = [](KernelTotals::Part& part, const KernelUse& use) {
    part.gpu += use.gpu.total;
    part.api += use.api.total;
    part.count += use.gpu.count;
  };
  for (const KernelUse& use : uses) {
    const bool tensor_cores = use.tensor_cores == TensorCores::kYes;
    add(totals.all, use);
    add(use.kind != GpuKind::kKernel ? totals.memory
        : tensor_cores               ? totals.tensor_cores
                                     : totals.other,
        use);
    if (use.kind != GpuKind::kKernel || !use.in_eligible_op) continue;
    totals.eligible += use.gpu.total;
    if (tensor_cores) totals.eligible_on_tensor_cores += use.gpu.total;
    if (use.tensor_cores_measured) totals.eligible_measured += use.gpu.total;
    if (use.tensor_cores == TensorCores::kUnknown) totals.eligible_unknown += use.gpu.total;
  }
  return totals;
}

}  // namespace warpsight
