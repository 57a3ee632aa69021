#include "model/host_name.h"

namespace warpsight {

HostKind OpOrAnnotation(std::string_view name) {
  const bool annotation = name.starts_with("ProfilerStep") || name.starts_with("Optimizer.") ||
                          name.starts_with("enumerate(DataLoader)#");
  return annotation ? HostKind::kAnnotation : HostKind::kOp;
}

HostKind FunctionOrModule(std::string_view name) {
  return name.starts_with("nn.Module: ") ? HostKind::kModule : HostKind::kPythonFunction;
}

}  // namespace warpsight
