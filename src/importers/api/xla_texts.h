#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/trace_builder.h"

// What the profiler of XLA and TensorFlow records with its events as texts: the same in XPlane
// files and in the trace.json that is made of them.
namespace warpsight::xla {

// The number behind `mark`: of "/device:GPU:0" with "GPU:" it is 0.
std::optional<int64_t> NumberBehind(std::string_view text, std::string_view mark);

// "regs:154 static_shared:0 dynamic_shared:98328 grid:512,1,1 block:128,1,1 occ_pct:12.5"; older
// writers say shm, those for AMD group_mem, and an occupancy of 0 where they know none.
TracePart::LaunchConfig ReadKernelDetails(std::string_view details);

// From "kind_src:pageable kind_dst:device size:4096 dest:0 async:1".
int64_t CopiedBytes(std::string_view details);
HostMemory HostMemoryOf(std::string_view details, CopyDirection direction);
GpuKind GpuKindOf(std::string_view name, bool has_kernel_details);

// Whether an event is named after a CUDA or HIP function.
bool IsApiFunction(std::string_view name);
// The function behind the record of an API call. The profiler names launches after the kernel and
// copies after what they copy; it records the calls of the driver API.
std::string_view ApiFunctionOf(std::string_view name, std::string_view copy_details);
ApiKind ApiKindOf(std::string_view function);

struct OpName {
  std::string_view name, type, path;
};
// "model/dense/MatMul_1:MatMul" is op MatMul_1 of type MatMul in scope model/dense; nullopt for
// other texts.
std::optional<OpName> ParseTensorFlowOp(std::string_view text);

// What GPU work says about its op.
struct OpStats {
  std::string_view hlo_op, hlo_module;
  std::string_view scope;  // the HLO op's name in the program: "jit(step)/jvp()/dot_general"
  std::string_view tf_op;  // a TensorFlow op, or the same as scope, or "XlaModule:"
};
// The op that they name. The type of an HLO op is its name without the number, as in "fusion",
// "custom-call" and "gemm_fusion_dot_general". Empty where they name none.
OpName NamedOp(const OpStats& stats);

}  // namespace warpsight::xla
