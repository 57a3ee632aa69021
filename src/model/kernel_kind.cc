#include "model/kernel_kind.h"

#include <cstddef>
#include <iterator>

namespace warpsight {
namespace {

constexpr std::string_view kLibraries[] = {"unknown",      "cuBLAS",
                                           "cuDNN",        "CUTLASS",
                                           "Triton",       "FlashAttention",
                                           "FlashInfer",   "xFormers",
                                           "NCCL",         "PyTorch",
                                           "Apex",         "Transformer Engine",
                                           "FBGEMM",       "vLLM",
                                           "XLA",          "TensorFlow",
                                           "TensorRT",     "CUB",
                                           "cuFFT",        "cuSPARSE",
                                           "cuSOLVER",     "cuRAND",
                                           "MAGMA",        "rocBLAS",
                                           "MIOpen",       "Composable Kernel",
                                           "ROCm",         "AITER",
                                           "SGLang",       "DeepGEMM",
                                           "DeepEP",       "FlashMLA",
                                           "NVSHMEM",      "MSCCL++",
                                           "bitsandbytes", "Mamba",
                                           "DeepSpeed",    "ggml"};
static_assert(std::size(kLibraries) == static_cast<size_t>(KernelLibrary::kGgml) + 1);

constexpr std::string_view kFamilies[] = {
    "unknown",        "gemm",      "convolution", "attention",        "recurrent",
    "normalization",  "softmax",   "loss",        "elementwise",      "reduction",
    "pooling",        "embedding", "optimizer",   "layout transform", "copy",
    "indexing",       "sort",      "collective",  "random",           "fft",
    "linear algebra", "other"};
static_assert(std::size(kFamilies) == static_cast<size_t>(KernelFamily::kOther) + 1);

constexpr std::string_view kPrecisions[] = {"unknown", "fp64", "fp32", "tf32", "bf16",
                                            "fp16",    "fp8",  "fp4",  "int8"};
static_assert(std::size(kPrecisions) == static_cast<size_t>(Precision::kInt8) + 1);

constexpr std::string_view kTensorCores[] = {"unknown", "no", "yes"};
static_assert(std::size(kTensorCores) == static_cast<size_t>(TensorCores::kYes) + 1);

constexpr std::string_view kCollectives[] = {
    "other",  "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast",
    "reduce", "gather",     "scatter",    "send_recv",      "barrier"};
static_assert(std::size(kCollectives) == static_cast<size_t>(CollectiveKind::kBarrier) + 1);

constexpr std::string_view kGenerators[] = {"unknown", "TorchInductor", "XLA", "CUTLASS"};
static_assert(std::size(kGenerators) == static_cast<size_t>(KernelGenerator::kCutlass) + 1);

constexpr std::string_view kLayouts[] = {"unknown", "channels first", "channels last"};
static_assert(std::size(kLayouts) == static_cast<size_t>(DataLayout::kChannelsLast) + 1);

template <typename Value, size_t n>
Value Find(std::string_view name, const std::string_view (&names)[n]) {
  for (size_t i = 0; i < n; ++i) {
    if (names[i] == name) return static_cast<Value>(i);
  }
  return Value::kUnknown;
}

}  // namespace

std::string_view ToString(KernelLibrary library) {
  return kLibraries[static_cast<size_t>(library)];
}
std::string_view ToString(KernelFamily family) { return kFamilies[static_cast<size_t>(family)]; }
std::string_view ToString(Precision precision) {
  return kPrecisions[static_cast<size_t>(precision)];
}
std::string_view ToString(TensorCores use) { return kTensorCores[static_cast<size_t>(use)]; }
std::string_view ToString(CollectiveKind kind) { return kCollectives[static_cast<size_t>(kind)]; }
std::string_view ToString(KernelGenerator generator) {
  return kGenerators[static_cast<size_t>(generator)];
}
std::string_view ToString(DataLayout layout) { return kLayouts[static_cast<size_t>(layout)]; }

KernelLibrary KernelLibraryOf(std::string_view name) {
  return Find<KernelLibrary>(name, kLibraries);
}
KernelFamily KernelFamilyOf(std::string_view name) { return Find<KernelFamily>(name, kFamilies); }
Precision PrecisionOf(std::string_view name) { return Find<Precision>(name, kPrecisions); }
CollectiveKind CollectiveKindOf(std::string_view name) {
  return Find<CollectiveKind>(name, kCollectives);
}
KernelGenerator KernelGeneratorOf(std::string_view name) {
  return Find<KernelGenerator>(name, kGenerators);
}
DataLayout DataLayoutOf(std::string_view name) { return Find<DataLayout>(name, kLayouts); }

}  // namespace warpsight
