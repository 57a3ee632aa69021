#pragma once

#include <string_view>

#include "model/tables.h"

namespace warpsight {

// What the names of Kineto's slices say where its categories are too coarse.

// Annotations that old versions filed under ops: ProfilerStep#3, Optimizer.step#Adam.step, ...
HostKind OpOrAnnotation(std::string_view name);
// The calls of modules are among those of Python functions: nn.Module: Linear_3.
HostKind FunctionOrModule(std::string_view name);

// What the names of PyTorch's ops and ranges say.

// A node of the backward pass: "AddmmBackward0", "torch::autograd::CopyBackwards".
bool IsBackwardNode(std::string_view name);
// Runs another op backward: such a node, or "autograd::engine::evaluate_function: AddmmBackward0".
bool IsAutogradWrapper(std::string_view name);
// Only runs other ops: those, and compiled regions.
bool IsWrapper(std::string_view name);

}  // namespace warpsight
