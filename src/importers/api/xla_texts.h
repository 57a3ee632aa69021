#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/trace_builder.h"

// Parses texts that the profiler of XLA and TensorFlow records with its events. They are the same
// in XPlane files and in the trace.json files generated from these.
namespace warpsight::xla {

// The number after `mark`: 0 for "/device:GPU:0" and "GPU:".
std::optional<int64_t> NumberBehind(std::string_view text, std::string_view mark);

// Parses "regs:154 static_shared:0 dynamic_shared:98328 grid:512,1,1 block:128,1,1 occ_pct:12.5".
// Older writers use "shm", writers for AMD "group_mem", and an occupancy of 0 if it is unknown.
TracePart::LaunchConfig ReadKernelDetails(std::string_view details);

// Parses "kind_src:pageable kind_dst:device size:4096 dest:0 async:1".
int64_t CopiedBytes(std::string_view details);
HostMemory HostMemoryOf(std::string_view details, CopyDirection direction);
GpuKind GpuKindOf(std::string_view name, bool has_kernel_details);

// Whether an event is named after a CUDA or HIP function.
bool IsApiFunction(std::string_view name);
// The function of the driver API behind the record of a call. The profiler names launches after the
// kernel, and copies after their direction.
std::string_view ApiFunctionOf(std::string_view name, std::string_view copy_details);
ApiKind ApiKindOf(std::string_view function);

struct OpName {
  std::string_view name, type, path;
};
// Parses "model/dense/MatMul_1:MatMul" as op MatMul_1 of type MatMul in scope model/dense; nullopt
// for other texts.
std::optional<OpName> ParseTensorFlowOp(std::string_view text);

// What a record of GPU work says about its op.
struct OpStats {
  std::string_view hlo_op, hlo_module;
  std::string_view scope;  // the HLO op's name in the program: "jit(step)/jvp()/dot_general"
  std::string_view tf_op;  // a TensorFlow op, or the same as scope, or "XlaModule:"
};
// The op that the record names; empty if it names none. The type of an HLO op is its name without
// the number: "fusion", "custom-call", "gemm_fusion_dot_general".
OpName NamedOp(const OpStats& stats);

}  // namespace warpsight::xla
