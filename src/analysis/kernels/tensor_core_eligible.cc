#include "analysis/kernels/tensor_core_eligible.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace warpsight {
namespace {

// The kind of op that a name means: "aten::convolution_backward", "ConvolutionBackward0" and
// "autograd::engine::evaluate_function: ConvolutionBackward0" are all "convolution".
std::string KindOf(std::string_view name) {
  if (const size_t colon = name.rfind(':'); colon != name.npos) name.remove_prefix(colon + 1);
  std::string kind;
  for (const char c : name) {
    if (c == '_' || c == ' ') continue;
    kind.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  // Names of autograd nodes end with the number of their overload, some backward ops with
  // "_overrideable".
  constexpr std::string_view kBackward = "backward";
  if (const size_t at = kind.rfind(kBackward); at != kind.npos) {
    const std::string_view rest = std::string_view(kind).substr(at + kBackward.size());
    if (rest == "overrideable" || rest.find_first_not_of("0123456789") == rest.npos) {
      kind.resize(at);
    }
  }
  return kind;
}

// clang-format off
// Kinds that are eligible by their whole name.
constexpr std::string_view kKinds[] = {
    // Matrix products. "linear" is here rather than below because upsampling is "bilinear".
    "mm", "bmm", "addmm", "baddbmm", "addbmm", "addmmactivation", "linear", "mkldnnlinear",
    "einsum", "tensordot", "linalgmultidot", "dotgeneral", "scaledmm", "intmm", "groupedmm",
    "scaledgroupedmm", "weightint4packmm", "weightint8packmm", "csltsparsemm",
    "sparsesemistructuredmm", "sparsesemistructuredaddmm", "sparsesemistructuredlinear",
    // ONNX's convolutions and attention.
    "conv", "fusedconv", "qlinearconv", "attention", "groupqueryattention",
    // Recurrent layers and cells. The fused cells (_thnn_fused_lstm_cell) contain only the
    // pointwise half.
    "lstm", "gru", "rnn", "rnntanh", "rnnrelu", "cudnnrnn", "miopenrnn", "lstmcell", "grucell",
    "rnntanhcell", "rnnrelucell"};

// Kinds that are eligible by a part of their name.
constexpr std::string_view kParts[] = {
    "matmul", "gemm",
    // Convolutions.
    "convolution", "conv1d", "conv2d", "conv3d", "convtranspose", "convtbc", "convgeneral",
    "convdepthwise",
    // Attention.
    "scaleddotproduct", "flashattention", "flashattn", "efficientattention", "cudnnattention",
    "flexattention", "multiheadattention"};
// clang-format on

}  // namespace

bool IsTensorCoreEligible(std::string_view op_name) {
  const std::string kind = KindOf(op_name);
  return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds) ||
         std::any_of(std::begin(kParts), std::end(kParts),
                     [&kind](std::string_view part) { return kind.find(part) != kind.npos; });
}

}  // namespace warpsight
