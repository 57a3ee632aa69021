#include "analysis/advice/kernel_time.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpsight {
namespace {

// Share of the datasheet's peak that large products reach: 0.80 to 0.82 in 16 bits, 0.79 in TF32,
// 0.76 in fp32 (H200, 8192 cubed, random data).
double ReachedPeak(Precision precision) {
  switch (precision) {
    case Precision::kTf32:
      return 0.79;
    case Precision::kFp32:
    case Precision::kFp64:
      return 0.76;
    default:
      return 0.82;
  }
}

// The time to start, fill the pipeline and write the last tile.
constexpr double kGemmStart = 2'000;
// The part of the traffic that is not hidden behind arithmetic.
constexpr double kExposedTraffic = 0.4;
// The share of the bandwidth that bandwidth-limited products and simple kernels reach.
constexpr double kGemmBandwidth = 0.85;
constexpr double kBandwidth = 0.88;
constexpr double kCastBandwidth = 0.6;
constexpr double kKernelStart = 1'000;

// Convolutions reach a smaller share than products of the same size.
constexpr double kConvPeak = 0.7;
// Tensor Cores process channels in blocks; incomplete blocks are padded.
constexpr double kChannelBlock = 32;

double Ceil(double value, double block) { return std::ceil(value / block) * block; }

double Product(const std::vector<int64_t>& values) {
  double product = 1;
  for (const int64_t value : values) product *= static_cast<double>(value);
  return product;
}

}  // namespace

double BytesOf(Precision precision) {
  switch (precision) {
    case Precision::kFp64:
      return 8;
    case Precision::kFp32:
    case Precision::kTf32:
      return 4;
    case Precision::kFp8:
    case Precision::kInt8:
      return 1;
    default:
      return 2;
  }
}

double GemmNs(double flops, double bytes, Precision precision, const GpuPeaks& peaks) {
  const double peak = peaks.Peak(precision, true);
  const double arithmetic = flops / (ReachedPeak(precision) * peak) * 1e9;
  const double traffic = bytes / peaks.bandwidth * 1e9;
  return kGemmStart + std::max(arithmetic + kExposedTraffic * traffic, traffic / kGemmBandwidth);
}

double GemmNs(const GemmShape& shape, Precision precision, const GpuPeaks& peaks) {
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  const double elements = static_cast<double>(shape.batch) * (m * k + k * n + m * n);
  return GemmNs(shape.Flops(), elements * BytesOf(precision), precision, peaks);
}

double ConvolutionNs(const ConvShape& shape, ConvPass pass, Precision precision,
                     const GpuPeaks& peaks) {
  const auto groups = static_cast<double>(std::max<int64_t>(1, shape.groups));
  const double in = static_cast<double>(shape.in_channels) / groups;
  const double out = static_cast<double>(shape.out_channels) / groups;
  const double padding = Ceil(in, kChannelBlock) / in * (Ceil(out, kChannelBlock) / out);
  const double elements = static_cast<double>(shape.batch) *
                          (static_cast<double>(shape.in_channels) * Product(shape.input) +
                           static_cast<double>(shape.out_channels) * Product(shape.output));
  const double arithmetic =
      shape.Flops() * padding / (kConvPeak * peaks.Peak(precision, true)) * 1e9;
  const double traffic = elements * BytesOf(precision) / peaks.bandwidth * 1e9;
  // Gradients of the weights reduce over all pixels, in fewer blocks and with a second pass.
  const double slower = pass == ConvPass::kWeightGradient  ? 1.4
                        : pass == ConvPass::kInputGradient ? 1.1
                                                           : 1.0;
  return kGemmStart +
         slower * std::max(arithmetic + kExposedTraffic * traffic, traffic / kConvPeak);
}

double FusedAttentionNs(const AttentionShape& shape, bool backward, const GpuPeaks& peaks) {
  // Exponentials limit narrow heads: they reach 0.47 of the peak at width 64, and 0.70 at 128.
  const double reached = shape.width > 64 ? 0.70 : 0.47;
  constexpr double kStart = 6'000;
  const double flops = 4 * shape.batch_heads * shape.queries * shape.keys * shape.width;
  // Blocks on the diagonal are computed in full.
  const double causal =
      shape.causal ? std::min(1.0, 0.6 + 0.13 * 1024 / std::max(1.0, shape.keys)) : 1.0;
  // The backward pass computes five products instead of two, and reads and writes more.
  const double passes = backward ? 3.1 : 1.0;
  const double arithmetic =
      passes * causal * flops / (reached * peaks.Peak(Precision::kBf16, true)) * 1e9;
  const double bytes =
      2 * shape.batch_heads * shape.width * 2 * (shape.queries + shape.keys) * (backward ? 2 : 1);
  return kStart * (backward ? 2 : 1) + std::max(arithmetic, TrafficNs(bytes, peaks));
}

double TrafficNs(double bytes, const GpuPeaks& peaks) {
  return bytes / (kBandwidth * peaks.bandwidth) * 1e9;
}

double MemoryNs(double bytes, const GpuPeaks& peaks) {
  return kKernelStart + TrafficNs(bytes, peaks);
}

double CastNs(double elements, const GpuPeaks& peaks) {
  return kKernelStart + 6 * elements / (kCastBandwidth * peaks.bandwidth) * 1e9;
}

}  // namespace warpsight
