#include "analysis/kernels/kernel_names.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "analysis/kernels/kernel_class.h"
#include "analysis/kernels/launch_evidence.h"
#include "model/hash_map.h"
#include "tbb/blocked_range.h"
#include "tbb/parallel_for.h"

namespace warpsight {
namespace {

// The measured launches of a kernel name.
struct Measured {
  int64_t launches = 0;
  int64_t on_tensor_cores = 0;
};

HashMap<StringId, Measured> MeasuredByName(const KernelCountersTable& counters) {
  HashMap<StringId, Measured> measured;
  for (size_t i = 0; i < counters.name.size(); ++i) {
    if (counters.tensor_instructions[i] == kMissing) continue;
    Measured& kernel = measured[counters.name[i]];
    ++kernel.launches;
    kernel.on_tensor_cores += counters.tensor_instructions[i] > 0 ? 1 : 0;
  }
  return measured;
}

// Counters override the name. A kernel that uses Tensor Cores only in some launches, depending on
// its arguments, counts as using them.
void Apply(const Measured& measured, KernelClass& kernel) {
  const bool uses = measured.on_tensor_cores > 0;
  kernel.tensor_cores = uses ? TensorCoreUse::kYes : TensorCoreUse::kNo;
  // Float data on Tensor Cores is tf32; the name may mean either.
  if (uses && kernel.precision == Precision::kFp32) kernel.precision = Precision::kTf32;
  if (!uses && kernel.precision == Precision::kTf32) kernel.precision = Precision::kFp32;
}

std::string ReasonOf(const Measured& measured) {
  return fmt::format("hardware counters: matrix instructions in {} of {} measured launches",
                     measured.on_tensor_cores, measured.launches);
}

// The names of kernels without duplicates, in the order in which they first ran.
std::vector<StringId> DistinctNames(const Trace& trace) {
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  std::vector<bool> seen(trace.strings.size());
  std::vector<StringId> names;
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    if (gpu.kind[g] != GpuKind::kKernel || seen[Index(gpu.name[g])]) continue;
    seen[Index(gpu.name[g])] = true;
    names.push_back(gpu.name[g]);
  }
  return names;
}

// Adds the facts that the name does not determine but the launches do.
void Apply(const LaunchEvidence& evidence, KernelClass& kernel, std::string& reason) {
  if (evidence.collective && kernel.family == KernelFamily::kUnknown) {
    kernel.family = KernelFamily::kCollective;
    kernel.tensor_cores = TensorCoreUse::kNo;
    reason = "The profiler recorded a collective for it.";
  }
  if (kernel.tensor_cores == TensorCoreUse::kUnknown &&
      evidence.tensor_cores != TensorCoreUse::kUnknown) {
    kernel.tensor_cores = evidence.tensor_cores;
    reason = evidence.reason;
  }
  if (kernel.precision == Precision::kUnknown) kernel.precision = evidence.precision;
}

// The class by name, computed once per name: it takes a few microseconds, and a trace may contain a
// million names.
struct NamedKernel {
  KernelClass kernel;
  std::string short_name;
};
std::vector<NamedKernel> ClassifyAll(const Trace& trace, const std::vector<StringId>& names) {
  constexpr size_t kNamesPerTask = 64;
  std::vector<NamedKernel> kernels(names.size());
  tbb::parallel_for(tbb::blocked_range<size_t>(0, names.size(), kNamesPerTask),
                    [&](const tbb::blocked_range<size_t>& range) {
                      for (size_t i = range.begin(); i < range.end(); ++i) {
                        const std::string_view name = trace.Text(names[i]);
                        kernels[i] = {ClassifyKernel(name), ShortKernelName(name)};
                      }
                    });
  return kernels;
}

}  // namespace

void ClassifyKernels(Trace& trace, FactTables& facts) {
  KernelNamesTable& table = facts.kernel_names;
  const auto measured = MeasuredByName(trace.tables.kernel_counters);
  const std::vector<StringId> names = DistinctNames(trace);
  std::vector<NamedKernel> kernels = ClassifyAll(trace, names);
  std::vector<KernelKind> by_name;
  by_name.reserve(kernels.size());
  for (const NamedKernel& named : kernels) by_name.push_back(named.kernel);
  const std::vector<LaunchEvidence> evidence = CollectLaunchEvidence(trace, facts, names, by_name);
  for (size_t i = 0; i < names.size(); ++i) {
    KernelClass& kernel = kernels[i].kernel;
    table.tensor_cores_by_name.push_back(kernel.tensor_cores);
    const auto counted = measured.find(names[i]);
    const bool is_measured = counted != measured.end();
    std::string reason(kernel.reason);
    Apply(evidence[i], kernel, reason);
    if (is_measured) {
      Apply(counted->second, kernel);
      reason = ReasonOf(counted->second);
    }
    table.measured_launches.push_back(is_measured ? counted->second.launches : 0);
    table.name.push_back(names[i]);
    table.short_name.push_back(trace.strings.Intern(kernels[i].short_name));
    table.library.push_back(trace.strings.Intern(ToString(kernel.library)));
    table.family.push_back(trace.strings.Intern(ToString(kernel.family)));
    table.precision.push_back(trace.strings.Intern(ToString(kernel.precision)));
    table.tensor_cores.push_back(kernel.tensor_cores);
    table.reason.push_back(trace.strings.Intern(reason));
    table.collective.push_back(trace.strings.Intern(ToString(kernel.collective)));
    table.generator.push_back(trace.strings.Intern(ToString(kernel.generator)));
    table.layout.push_back(trace.strings.Intern(ToString(kernel.layout)));
    table.element_bytes.push_back(kernel.element_bytes);
  }
  IndexKernelNames(facts, trace.strings);
}

}  // namespace warpsight
