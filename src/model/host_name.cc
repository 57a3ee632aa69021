#include "model/host_name.h"

namespace warpsight {
namespace {

bool Evaluates(std::string_view name) {
  return name.starts_with("autograd::engine::evaluate_function");
}

}  // namespace

HostKind OpOrAnnotation(std::string_view name) {
  const bool annotation = name.starts_with("ProfilerStep") || name.starts_with("Optimizer.") ||
                          name.starts_with("enumerate(DataLoader)#");
  return annotation ? HostKind::kAnnotation : HostKind::kOp;
}

HostKind FunctionOrModule(std::string_view name) {
  return name.starts_with("nn.Module: ") ? HostKind::kModule : HostKind::kPythonFunction;
}

// Also "CompiledFunctionBackward".
bool IsBackwardNode(std::string_view name) {
  if (Evaluates(name) || name.starts_with("aten::")) return false;
  const size_t at = name.rfind("Backward");
  if (at == std::string_view::npos) return false;
  std::string_view rest = name.substr(at + std::string_view("Backward").size());
  if (rest.starts_with('s')) rest.remove_prefix(1);
  return rest.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsAutogradWrapper(std::string_view name) {
  return Evaluates(name) || IsBackwardNode(name) || name.ends_with("AccumulateGrad") ||
         name == "torch::autograd::GraphRoot";
}

bool IsWrapper(std::string_view name) {
  return IsAutogradWrapper(name) || name.starts_with("Torch-Compiled Region") ||
         name == "CompiledFunction";
}

}  // namespace warpsight
