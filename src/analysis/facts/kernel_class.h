#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpsight {

// What a GPU kernel's name tells about it: the library that brought it, the kind of work it does,
// the number format it computes in, and whether it runs on Tensor Cores (matrix cores on AMD).
//
// The name is the only evidence used here. Where a name does not say something the answer is
// `kUnknown`, never a guess: other evidence (hardware counters, achieved FLOP rates, the operator
// that launched the kernel) can fill the gap later. docs/kernel-classes.md has the measured
// agreement with hardware counters.

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

enum class TensorCoreUse : uint8_t { kUnknown, kNo, kYes };

struct KernelClass {
  KernelLibrary library = KernelLibrary::kUnknown;
  KernelFamily family = KernelFamily::kUnknown;
  Precision precision = Precision::kUnknown;
  TensorCoreUse tensor_cores = TensorCoreUse::kUnknown;
  // One short sentence, static text: why the kernel got its Tensor Core answer, or its family when
  // that answer is unknown.
  std::string_view reason;
};

// Classifies a kernel by its long name: demangled by any demangler, or mangled. Takes a few
// microseconds: call it once per distinct name. Pure; any thread may call it.
KernelClass ClassifyKernel(std::string_view long_name);

// The name without return type, template arguments and parameters, and without the leading
// namespaces that every PyTorch kernel shares: `void at::native::(anonymous
// namespace)::f<int>(int)` is `f`. The short name of DLProf reports.
std::string ShortKernelName(std::string_view long_name);

std::string_view ToString(KernelLibrary library);
std::string_view ToString(KernelFamily family);
std::string_view ToString(Precision precision);
std::string_view ToString(TensorCoreUse use);

}  // namespace warpsight
