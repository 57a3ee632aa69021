#pragma once

#include <cstdint>
#include <string_view>

#include "base/units.h"

// The class of a kernel. Determined once, when a trace is imported
// (analysis/kernels/kernel_names.h), from hardware counters if there are any, otherwise from its
// name; rules, reports and models read it from the facts. Profiles store the names below.
namespace warpsight {

enum class KernelLibrary : uint8_t {
  kUnknown,
  kCublas,
  kCudnn,
  kCutlass,
  kTriton,
  kFlashAttention,
  kFlashInfer,
  kXformers,
  kNccl,
  kPytorch,
  kApex,
  kTransformerEngine,
  kFbgemm,
  kVllm,
  kXla,
  kTensorflow,
  kTensorrt,
  kCub,
  kCufft,
  kCusparse,
  kCusolver,
  kCurand,
  kMagma,
  kRocblas,
  kMiopen,
  kComposableKernel,
  kRocm,
  kAiter,
  kSglang,
  kDeepGemm,
  kDeepEp,
  kFlashMla,
  kNvshmem,
  kMscclpp,
  kBitsandbytes,
  kMamba,
  kDeepSpeed,
  kGgml,
};

enum class KernelFamily : uint8_t {
  kUnknown,
  kGemm,
  kConvolution,
  kAttention,
  kRecurrent,
  kNormalization,
  kSoftmax,
  kLoss,
  kElementwise,
  kReduction,
  kPooling,
  kEmbedding,
  kOptimizer,
  kLayoutTransform,
  kCopy,
  kIndexing,
  kSort,
  kCollective,
  kRandom,
  kFft,
  kLinearAlgebra,
  kOther,
};

enum class Precision : uint8_t {
  kUnknown,
  kFp64,
  kFp32,
  kTf32,
  kBf16,
  kFp16,
  kFp8,
  kFp4,
  kInt8,
};

enum class TensorCores : uint8_t { kUnknown, kNo, kYes };

// The kind of a collective, as far as its bandwidth is computed differently.
enum class CollectiveKind : uint8_t {
  kUnknown,
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kReduce,
  kGather,
  kScatter,
  kSendReceive,
  kBarrier,
};

// The program that generated a kernel and chose its launch parameters, if its name shows that.
enum class KernelGenerator : uint8_t {
  kUnknown,
  kInductor,  // torch.compile
  kXla,
  kCutlass,  // instances shipped with cuBLAS, cuDNN and the CUTLASS library
};

// The image layout that a kernel is written for.
enum class DataLayout : uint8_t { kUnknown, kChannelsFirst, kChannelsLast };

struct KernelKind {
  KernelLibrary library = KernelLibrary::kUnknown;
  KernelFamily family = KernelFamily::kUnknown;
  Precision precision = Precision::kUnknown;
  TensorCores tensor_cores = TensorCores::kUnknown;
  CollectiveKind collective = CollectiveKind::kUnknown;  // only of kernels of family kCollective
  KernelGenerator generator = KernelGenerator::kUnknown;
  DataLayout layout = DataLayout::kUnknown;
  int64_t element_bytes = kMissing;  // of an element that it works on
};

std::string_view ToString(KernelLibrary library);
std::string_view ToString(KernelFamily family);
std::string_view ToString(Precision precision);
std::string_view ToString(TensorCores use);
// As NCCL's tests spell them: "all_reduce". "other" for kUnknown.
std::string_view ToString(CollectiveKind kind);
std::string_view ToString(KernelGenerator generator);
std::string_view ToString(DataLayout layout);

// The value of this name; unknown for any other text.
KernelLibrary KernelLibraryOf(std::string_view name);
KernelFamily KernelFamilyOf(std::string_view name);
Precision PrecisionOf(std::string_view name);
CollectiveKind CollectiveKindOf(std::string_view name);
KernelGenerator KernelGeneratorOf(std::string_view name);
DataLayout DataLayoutOf(std::string_view name);

// Whether a kernel does the main work of a matrix op: a product, a convolution, attention, a
// recurrent cell.
constexpr bool IsMatrixFamily(KernelFamily family) {
  return family == KernelFamily::kGemm || family == KernelFamily::kConvolution ||
         family == KernelFamily::kAttention || family == KernelFamily::kRecurrent;
}

}  // namespace warpsight
