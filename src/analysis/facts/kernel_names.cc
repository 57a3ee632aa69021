#include "analysis/facts/kernel_names.h"

#include "analysis/facts/kernel_class.h"

namespace warpsight {
namespace {

TensorCores Stored(TensorCoreUse use) {
  switch (use) {
    case TensorCoreUse::kYes:
      return TensorCores::kYes;
    case TensorCoreUse::kNo:
      return TensorCores::kNo;
    case TensorCoreUse::kUnknown:
      break;
  }
  return TensorCores::kUnknown;
}

}  // namespace

void ClassifyKernels(Trace& trace, FactTables& facts) {
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  KernelNamesTable& table = facts.kernel_names;
  std::vector<bool> seen(trace.strings.size());
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    if (gpu.kind[g] != GpuKind::kKernel || seen[Index(gpu.name[g])]) continue;
    seen[Index(gpu.name[g])] = true;
    const std::string_view name = trace.Text(gpu.name[g]);
    const KernelClass kernel = ClassifyKernel(name);
    table.name.push_back(gpu.name[g]);
    table.short_name.push_back(trace.strings.Intern(ShortKernelName(name)));
    table.library.push_back(trace.strings.Intern(ToString(kernel.library)));
    table.family.push_back(trace.strings.Intern(ToString(kernel.family)));
    table.precision.push_back(trace.strings.Intern(ToString(kernel.precision)));
    table.tensor_cores.push_back(Stored(kernel.tensor_cores));
    table.reason.push_back(trace.strings.Intern(kernel.reason));
  }
  IndexKernelNames(facts, trace.strings.size());
}

}  // namespace warpsight
