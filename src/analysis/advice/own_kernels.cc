#include "analysis/advice/own_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace warpsight {
namespace {

// Whether the user controls how a kernel is launched. Kernels launched by ops of frameworks do not
// count, whatever their names.
bool IsOwn(const RuleInput& input, GpuId gpu) {
  const KernelKind& kind = input.work.KindOf(gpu);
  if (kind.family == KernelFamily::kCollective) return false;
  if (kind.library == KernelLibrary::kTriton) return true;
  if (kind.library != KernelLibrary::kUnknown && kind.library != KernelLibrary::kCutlass) {
    return false;
  }
  // CUTLASS instances that come with cuBLAS and cuDNN.
  if (kind.generator == KernelGenerator::kCutlass) return false;
  const Trace& trace = input.profile.trace;
  const HostId op = input.profile.facts.gpu.op[Index(gpu)];
  if (!IsSet(op)) return true;
  const std::string_view name = trace.Text(trace.tables.host.name[Index(op)]);
  return !name.starts_with("aten::") && !name.starts_with("c10d::");
}

}  // namespace

OwnKernels FindHotOwnKernels(const RuleInput& input) {
  const Trace& trace = input.profile.trace;
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  OwnKernels found;
  using Key = std::tuple<StringId, LaunchConfigId, DeviceId>;
  std::map<Key, OwnKernel> groups;
  for (const GpuId id : input.work.gpu()) {
    const size_t g = Index(id);
    if (!input.work.IsKernel(id) || !IsOwn(input, id)) continue;
    const DeviceId device = trace.DeviceOf(gpu.stream[g]);
    auto [at, added] = groups.try_emplace(Key{gpu.name[g], gpu.launch_config[g], device});
    OwnKernel& kernel = at->second;
    kernel.name = gpu.name[g];
    kernel.library = input.work.KindOf(id).library;
    kernel.by_inductor = input.work.KindOf(id).generator == KernelGenerator::kInductor;
    kernel.instances.push_back(id);
    kernel.time += gpu.duration[g];
  }
  const auto capacity = static_cast<double>(input.range.capacity);
  for (auto& [key, kernel] : groups) {
    if (static_cast<double>(kernel.time) < kHotKernel * capacity) continue;
    const auto launch = LaunchOf(trace, kernel.instances.front());
    const auto limits = LimitsOf(input.profile, input.costs, std::get<DeviceId>(key));
    if (!launch) found.skipped = Skipped{"it was not recorded how kernels were launched"};
    if (!limits) {
      found.skipped = Skipped{"the number of multiprocessors of this GPU is unknown"};
    }
    if (!launch || !limits) continue;
    kernel.launch = *launch;
    kernel.limits = *limits;
    found.hot.push_back(std::move(kernel));
  }
  std::stable_sort(found.hot.begin(), found.hot.end(),
                   [](const OwnKernel& a, const OwnKernel& b) { return a.time > b.time; });
  return found;
}

Evidence Describe(const RuleInput& input, const OwnKernel& kernel) {
  return {
      fmt::format("{}: {}; {} blocks on {} multiprocessors, {} fit on each",
                  input.ShortName(kernel.name),
                  LaunchText(input.profile.trace, kernel.instances.front()), kernel.launch.blocks,
                  kernel.limits.sms, ResidentBlocks(kernel.launch, kernel.limits)),
      input.PerStep(kernel.time), input.PerStep(kernel.instances.size()), kNone<HostId>,
      kernel.instances.front()};
}

std::string LaunchAdvice(const std::vector<const OwnKernel*>& kernels) {
  bool inductor = false, triton = false, other = false;
  for (const OwnKernel* kernel : kernels) {
    const bool is_triton = kernel->library == KernelLibrary::kTriton;
    inductor |= kernel->by_inductor;
    triton |= is_triton && !kernel->by_inductor;
    other |= !is_triton;
  }
  std::string text;
  if (other) {
    text +=
        " In CUDA C++: use cudaOccupancyMaxPotentialBlockSize to choose the block size, process "
        "several elements per thread in a grid-stride loop, and split long sums over blocks.";
  }
  if (triton) {
    text +=
        " In Triton: add smaller tiles (BLOCK_M, BLOCK_N, BLOCK_SIZE) and SPLIT_K to the configs "
        "of @triton.autotune.";
  }
  if (inductor) {
    text += " For kernels of torch.compile: mode=\"max-autotune\" tries other configurations.";
  }
  return text;
}

}  // namespace warpsight
