#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"
#include "model/tables.h"

// Parses the texts of NVTX ranges of PyTorch ops.
namespace warpsight {

// A range of torch.autograd.profiler.emit_nvtx: "aten::conv2d, seq = 12, op_id = 34, sizes = [[8,
// 3, 32, 32], []]"; before PyTorch 1.7 "conv2d, seq = 12" or "torch::autograd::AccumulateGrad".
// Views refer to the text.
struct EmittedMarker {
  std::string_view name;
  int64_t sequence = kMissing;
  std::string_view dims = {};  // shape of each input, JSON as in Kineto traces
  // An op or an annotation: emit_nvtx marks ranges of record_function in the same way.
  HostKind kind = HostKind::kOp;
};
std::optional<EmittedMarker> ParseEmittedMarker(std::string_view text);

// A range of PyProf or DLProf. A call of a PyTorch function has two or three nested ones: the place
// from which it was called, the parameters of a module, and the function with its arguments.
struct PyprofMarker {
  enum class Kind { kPlace, kModule, kCall };
  Kind kind;
  // For kPlace. The path is PyProf's function stack as DLProf shows it,
  // "/module/main/Net::forward"; empty if it was not recorded.
  std::string path;
  std::string call_stack;  // "file:line" innermost first, separated by ';'
  // For kCall; the last three are JSON as in Kineto traces.
  std::string op;
  std::string dims, types, values;
};
std::optional<PyprofMarker> ParsePyprofMarker(std::string_view text);

// PyTorch's profiler's name for the type that torch.dtype, NumPy and ONNX call `name`.
std::string_view KinetoType(std::string_view name);

}  // namespace warpsight
