#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpsight::importers::capture {

// The inputs of an op in the JSON format of PyTorch's traces: [[64, 10], []], ["float", "Scalar"],
// [[10, 1], []], ["", "1"].
struct OpInputs {
  std::string dims, types, strides, values;
};

// Decodes the bytes described in wire/op_inputs.h; nullopt if they are damaged.
std::optional<OpInputs> DecodeInputs(std::string_view bytes);

}  // namespace warpsight::importers::capture
