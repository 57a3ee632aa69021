#include "analysis/report_parts/dlprof_shapes.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/roofline/op_cost.h"

namespace warpsight {
namespace {

// Appends a shape, with one letter per dimension or without letters.
void AppendShape(std::span<const int64_t> dims, std::string_view letters, std::string& text) {
  if (!text.empty()) text += "; ";
  text += '<';
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ", ";
    if (!letters.empty()) text += fmt::format("{}:", letters[i]);
    text += fmt::format("{}", dims[i]);
  }
  text += '>';
}

// The letters for the dimensions of an op's first two inputs and of its output.
struct Letters {
  std::string_view input, weight, output;
};

// The letters for `op_type`, if its input and its weight have the usual ranks.
std::optional<Letters> LettersOf(std::string_view op_type, const Signature& signature) {
  std::optional<Letters> letters;
  if (op_type == "conv2d") letters = {"NCHW", "KCRS", "NKPQ"};
  if (op_type == "linear") letters = {"NK", "MK", "NM"};
  const Tensor* input = signature.TensorAt(0);
  const Tensor* weight = signature.TensorAt(1);
  if (!letters || input == nullptr || weight == nullptr) return {};
  const bool usual = input->dims().size() == letters->input.size() &&
                     weight->dims().size() == letters->weight.size();
  return usual ? letters : std::nullopt;
}

// Empty if it does not follow from the inputs. A convolution needs all seven arguments, since
// arguments passed by name have no fixed position.
std::vector<int64_t> OutputOf(std::string_view op_type, const Signature& signature) {
  const Tensor& input = *signature.TensorAt(0);
  if (op_type == "linear") return {input.Dim(0), signature.TensorAt(1)->Dim(0)};
  constexpr size_t kArguments = 7;
  const OpRule* rule = FindOpRule(op_type);
  if (rule == nullptr || signature.arguments.size() < kArguments) return {};
  const auto conv = ConvShapeOf(*rule, signature);
  if (!conv || conv->output.size() != 2) return {};
  return {conv->batch, conv->out_channels, conv->output[0], conv->output[1]};
}

}  // namespace

DlprofShapes ShapesAsInDlprof(const Trace& trace, std::string_view op_type, SignatureId signature) {
  DlprofShapes shapes;
  const Signature* inputs = trace.inputs.Of(signature);
  if (inputs == nullptr) return shapes;
  const auto letters = LettersOf(op_type, *inputs);
  for (size_t i = 0; i < inputs->arguments.size(); ++i) {
    const Argument& argument = inputs->arguments[i];
    if (const Tensor* tensor = argument.tensor(); tensor != nullptr && tensor->rank() > 0) {
      const std::string_view own = !letters ? ""
                                   : i == 0 ? letters->input
                                   : i == 1 ? letters->weight
                                            : "";
      AppendShape(tensor->dims(), own, shapes.inputs);
    }
    for (const Tensor& tensor : argument.list()) AppendShape(tensor.dims(), "", shapes.inputs);
  }
  if (letters) {
    const std::vector<int64_t> output = OutputOf(op_type, *inputs);
    if (!output.empty()) AppendShape(output, letters->output, shapes.outputs);
  }
  return shapes;
}

}  // namespace warpsight
