#pragma once

#include "torch_abi/record_function.h"

// In place of PyTorch's header of this name, for torch_ops.cpp and torch_inputs.h.
#define WARPSIGHT_TORCH_ABI
namespace at = warpsight::torch_abi::at;
namespace c10 = warpsight::torch_abi::c10;
