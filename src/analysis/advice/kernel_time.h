#pragma once

#include <cstdint>

#include "analysis/roofline/gemm_conv.h"
#include "analysis/roofline/gpu_peaks.h"

// Models of the time that good kernels take for a given amount of work, used to predict the effect
// of changes. Each model has a few physical terms (arithmetic at a typical share of the peak,
// traffic at a typical share of the bandwidth, a fixed start-up time). The shares were measured on
// an H200 and are relative to a GPU's datasheet, so that they apply to other GPUs.
// docs/gain-models.md shows the fit. Times are in nanoseconds.
namespace warpsight {

// A matrix product by a good library: `bytes` are all operands and the result once.
double GemmNs(double flops, double bytes, Precision precision, const GpuPeaks& peaks);
double GemmNs(const GemmShape& shape, Precision precision, const GpuPeaks& peaks);

enum class ConvPass : uint8_t { kForward, kInputGradient, kWeightGradient };

// One pass of a convolution on Tensor Cores, with activations in the layout that Tensor Cores need.
double ConvolutionNs(const ConvShape& shape, ConvPass pass, Precision precision,
                     const GpuPeaks& peaks);

struct AttentionShape {
  double batch_heads = 0;
  double queries = 0;
  double keys = 0;
  double width = 0;  // of a head
  bool causal = false;
};

// Attention in one fused kernel, in 16-bit numbers.
double FusedAttentionNs(const AttentionShape& shape, bool backward, const GpuPeaks& peaks);

// Moving bytes at the share of the bandwidth that simple kernels reach, without the start-up time.
double TrafficNs(double bytes, const GpuPeaks& peaks);
// Work that only moves memory, including the start-up time.
double MemoryNs(double bytes, const GpuPeaks& peaks);
// A cast. It is slower than other memory-bound work, since vectorized loads do not help if the
// sizes of the types differ.
double CastNs(double elements, const GpuPeaks& peaks);

double BytesOf(Precision precision);

}  // namespace warpsight
