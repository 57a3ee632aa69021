#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "model/kernel_kind.h"

namespace warpsight {

// The peaks of a GPU according to its datasheet: operations per second without sparsity, bytes per
// second of its memory. kMissingReal if the datasheet has no value or the GPU does not support it.
struct GpuPeaks {
  std::string_view name;
  double bandwidth = kMissingReal;
  // Vector units. 16-bit arithmetic outside matrix products is done in fp32.
  double fp64 = kMissingReal;
  double fp32 = kMissingReal;
  // Matrix products: on Tensor Cores, AMD's matrix cores, or what the GPU uses instead.
  double fp64_matrix = kMissingReal;
  double fp32_matrix = kMissingReal;  // full fp32; only AMD's matrix cores support it
  double tf32 = kMissingReal;
  double bf16 = kMissingReal;
  double fp16 = kMissingReal;
  double fp8 = kMissingReal;
  double int8 = kMissingReal;
  int sms = 0;              // multiprocessors or compute units; 0: unknown
  std::string_view source;  // the document that contains the figures

  // The peak of arithmetic in a number format, on matrix units or on vector units.
  double Peak(Precision precision, bool matrix) const;
};

inline bool IsKnown(double value) { return value >= 0; }

// Every GPU in the table.
std::span<const GpuPeaks> AllGpuPeaks();

// The peaks of the GPU that a trace calls `name` ("NVIDIA A100-SXM4-80GB"). If several variants
// match the name, memory size and number of multiprocessors decide, as far as known. nullopt for a
// GPU that is not in the table, and for parts of GPUs (MIG).
std::optional<GpuPeaks> FindGpuPeaks(std::string_view name, int64_t memory_bytes = kMissing,
                                     int64_t sms = kMissing);

// Parses "bf16=989,tf32=495,fp32=67,bandwidth=4800" (TFLOP/s and GB/s). Other peaks stay missing.
Result<GpuPeaks> ParsePeaks(std::string_view text);

// `base` with the values of `overrides` that are set; only the overrides if there is no base.
GpuPeaks WithOverrides(const std::optional<GpuPeaks>& base, const GpuPeaks& overrides);

}  // namespace warpsight
