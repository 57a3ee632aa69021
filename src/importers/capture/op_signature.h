#pragma once

#include <optional>
#include <string_view>

#include "model/input_texts.h"

namespace warpsight::importers::capture {

// The inputs of an op as PyTorch's profiler writes them into its traces, from the bytes of
// wire/op_inputs.h; nothing where they are damaged.
std::optional<InputTexts> DecodeInputs(std::string_view bytes);

}  // namespace warpsight::importers::capture
