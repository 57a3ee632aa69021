#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpsight::importers::capture {

// The inputs of an op as PyTorch's profiler writes them into its traces, JSON:
// [[64, 10], []], ["float", "Scalar"], [[10, 1], []], ["", "1"].
struct OpInputs {
  std::string dims, types, strides, values;
};

// From the bytes of wire/op_inputs.h; nothing where they are damaged.
std::optional<OpInputs> DecodeInputs(std::string_view bytes);

}  // namespace warpsight::importers::capture
