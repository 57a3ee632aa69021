#pragma once

#include <string_view>

#include "model/tables.h"

namespace warpsight {

// What the names of Kineto's slices say where its categories are too coarse.

// Annotations that old versions filed under ops: ProfilerStep#3, Optimizer.step#Adam.step, ...
HostKind OpOrAnnotation(std::string_view name);
// The calls of modules are among those of Python functions: nn.Module: Linear_3.
HostKind FunctionOrModule(std::string_view name);

}  // namespace warpsight
