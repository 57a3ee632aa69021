#include "analysis/advice/program_kind.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "analysis/facts/named_op.h"
#include "analysis/iterations/serving_steps.h"

namespace warpsight {
namespace {

// The framework that a range's name implies: TraceMe ranges of JAX and TensorFlow, ops and modules
// of PyTorch.
Framework FrameworkOf(std::string_view name) {
  if (name.starts_with("aten::") || name.starts_with("ProfilerStep#") ||
      name.starts_with("nn.Module: ")) {
    return Framework::kPytorch;
  }
  if (name.starts_with("PjitFunction(") || name.starts_with("PjRt") || name.starts_with("PJRT_")) {
    return Framework::kJax;
  }
  if (name == "ExecutorState::Process" || name == "FunctionRun" || name == "SessionRun" ||
      name.starts_with("EagerLocalExecute")) {
    return Framework::kTensorflow;
  }
  return Framework::kUnknown;
}

bool HasBackwardOps(ProfileView profile) {
  const std::vector<Direction>& directions = profile.facts.host.direction;
  if (std::any_of(directions.begin(), directions.end(), [](Direction direction) {
        return direction == Direction::kBackward || direction == Direction::kOptimizer;
      })) {
    return true;
  }
  const Trace& trace = profile.trace;
  std::vector<bool> seen(trace.strings.size());
  for (const StringId path : trace.tables.gpu_extras.op_path) {
    if (seen[Index(path)]) continue;
    seen[Index(path)] = true;
    if (IsBackwardScope(trace.Text(path))) return true;
  }
  return std::any_of(
      profile.facts.kernel_kinds.begin(), profile.facts.kernel_kinds.end(),
      [](const KernelKind& kind) { return kind.family == KernelFamily::kOptimizer; });
}

}  // namespace

ProgramKind KindOfProgram(ProfileView profile) {
  ProgramKind program;
  const Trace& trace = profile.trace;
  std::vector<bool> seen(trace.strings.size());
  bool pytorch_kernels = false;
  for (const StringId name : trace.tables.host.name) {
    if (seen[Index(name)]) continue;
    seen[Index(name)] = true;
    const std::string_view text = trace.Text(name);
    const Framework framework = FrameworkOf(text);
    // Ops identify PyTorch, while the other frameworks' ranges also occur in plugins.
    if (framework == Framework::kPytorch || program.framework == Framework::kUnknown) {
      program.framework = framework;
    }
    program.serves = program.serves || ParseServingStep(text).has_value();
  }
  for (const KernelKind& kind : profile.facts.kernel_kinds) {
    pytorch_kernels = pytorch_kernels || kind.library == KernelLibrary::kPytorch;
  }
  if (program.framework == Framework::kUnknown && pytorch_kernels) {
    program.framework = Framework::kPytorch;
  }
  program.trains = !program.serves && HasBackwardOps(profile);
  return program;
}

}  // namespace warpsight
