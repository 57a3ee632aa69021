#pragma once

#include <string_view>

#include "model/tables.h"

namespace warpsight {

// Classification by the names of Kineto's slices where its categories are too coarse.

// Annotations that old versions categorized as ops: ProfilerStep#3, Optimizer.step#Adam.step, ...
HostKind OpOrAnnotation(std::string_view name);
// Module calls are recorded as Python functions: nn.Module: Linear_3.
HostKind FunctionOrModule(std::string_view name);

// Classification by the names of PyTorch's ops and ranges.

// A node of the backward pass: "AddmmBackward0", "torch::autograd::CopyBackwards".
bool IsBackwardNode(std::string_view name);
// Runs another op backward: a backward node, or "autograd::engine::evaluate_function:
// AddmmBackward0".
bool IsAutogradWrapper(std::string_view name);
// Only runs other ops: autograd wrappers and compiled regions.
bool IsWrapper(std::string_view name);

}  // namespace warpsight
