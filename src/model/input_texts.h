#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/op_inputs.h"

namespace warpsight {

// The texts of a row of the table signatures, JSON as PyTorch's profiler writes it:
// [[64, 10], []], ["float", "Scalar"], [[10, 1], []], ["", "1"].
struct InputTexts {
  std::string dims, types, strides, values;

  RecordedInputs view() const { return {dims, types, strides, values}; }
};

// Writes the inputs of a call, one after the other.
class InputWriter {
 public:
  void AddTensor(std::string_view type, std::span<const int64_t> dims,
                 std::span<const int64_t> strides, std::string_view value = "");
  // What is not a tensor. An empty value is none.
  void AddOther(std::string_view type, std::string_view value);

  // A list of tensors: its tensors are added between these.
  void BeginTensorList();
  void AddListed(std::span<const int64_t> dims, std::span<const int64_t> strides);
  void EndTensorList(std::string_view type, std::string_view value = "");

  bool empty() const { return texts_.dims.empty(); }
  // Ends the writing.
  InputTexts Finish();

 private:
  void Separate();

  InputTexts texts_;
};

// A real number as PyTorch's profiler writes it: "0.10000000000000001", "1.".
void AppendReal(double value, std::string& text);

// Inputs as texts from which the same inputs are read.
InputTexts FormatInputs(const Signature& signature);

}  // namespace warpsight
