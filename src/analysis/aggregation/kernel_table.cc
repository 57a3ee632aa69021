#include "analysis/aggregation/kernel_table.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

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

std::string_view ShortName(ProfileView profile, GpuKind kind, StringId name) {
  if (kind != GpuKind::kKernel) return profile.trace.Text(name);
  const FactTables& facts = profile.facts;
  return profile.trace.Text(facts.kernel_names.short_name[facts.KernelRow(name)]);
}

namespace {

std::vector<WorkGroup> GroupWork(ProfileView profile, bool kernels) {
  const KernelUsesTable& uses = profile.facts.kernel_uses;
  std::map<std::pair<std::string_view, TensorCores>, WorkGroup> groups;
  for (size_t i = 0; i < uses.name.size(); ++i) {
    const bool kernel = uses.kind[i] == GpuKind::kKernel;
    if (kernel != kernels) continue;
    const std::string_view name = ShortName(profile, uses.kind[i], uses.name[i]);
    const TensorCores use = kernel ? profile.facts.TensorCoresOf(uses.name[i]) : TensorCores::kNo;
    WorkGroup& group = groups[{name, use}];
    group.name = name;
    group.tensor_cores = use;
    group.count += uses.count[i];
    group.gpu += uses.gpu[i];
  }
  std::vector<WorkGroup> sorted;
  sorted.reserve(groups.size());
  for (const auto& [key, group] : groups) sorted.push_back(group);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const WorkGroup& a, const WorkGroup& b) { return a.gpu > b.gpu; });
  return sorted;
}

}  // namespace

std::vector<WorkGroup> GroupKernels(ProfileView profile) { return GroupWork(profile, true); }

std::vector<WorkGroup> GroupCopies(ProfileView profile) { return GroupWork(profile, false); }

double KernelTotals::Efficiency() const {
  if (eligible == 0) return -1;
  return static_cast<double>(eligible_on_tensor_cores) / static_cast<double>(eligible);
}

KernelTotals SumKernels(const FactTables& facts) {
  KernelTotals totals;
  const KernelUsesTable& uses = facts.kernel_uses;
  for (size_t i = 0; i < uses.name.size(); ++i) {
    const bool kernel = uses.kind[i] == GpuKind::kKernel;
    const TensorCores use = kernel ? facts.TensorCoresOf(uses.name[i]) : TensorCores::kNo;
    KernelTotals::Part& kind = !kernel                    ? totals.memory
                               : use == TensorCores::kYes ? totals.tensor_cores
                                                          : totals.other;
    for (KernelTotals::Part* part : {&totals.all, &kind}) {
      part->gpu += uses.gpu[i];
      part->api += uses.api[i];
      part->count += uses.count[i];
    }
    if (!kernel || uses.in_eligible_op[i] == 0) continue;
    totals.eligible += uses.gpu[i];
    if (use == TensorCores::kYes) totals.eligible_on_tensor_cores += uses.gpu[i];
    if (use == TensorCores::kUnknown) totals.eligible_unknown += uses.gpu[i];
    if (facts.TensorCoresMeasured(uses.name[i])) totals.eligible_measured += uses.gpu[i];
  }
  return totals;
}

}  // namespace warpsight
