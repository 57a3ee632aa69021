#include "analysis/roofline/speed_of_light.h"

#include <algorithm>

namespace warpsight {
namespace {

constexpr double kNsPerSecond = 1e9;

double Ratio(double part, double whole) {
  return IsKnown(part) && whole > 0 ? part / whole : kMissingReal;
}

// The time of the arithmetic at its peaks; matrix and vector units do not work at the same time.
double ComputeNs(const OpCost& cost, const GpuPeaks& peaks) {
  if (!IsKnown(cost.flops)) return kMissingReal;
  double seconds = 0;
  if (cost.matrix_flops > 0) {
    const double peak = peaks.Peak(cost.precision, true);
    if (!IsKnown(peak)) return kMissingReal;
    seconds += cost.matrix_flops / peak;
  }
  const double vector_flops = cost.flops - cost.matrix_flops;
  if (vector_flops > 0) {
    const double peak = peaks.Peak(cost.precision, false);
    if (!IsKnown(peak)) return kMissingReal;
    seconds += vector_flops / peak;
  }
  return seconds * kNsPerSecond;
}

double MemoryNs(const OpCost& cost, const GpuPeaks& peaks) {
  const double seconds = Ratio(cost.bytes, peaks.bandwidth);
  return IsKnown(seconds) ? seconds * kNsPerSecond : kMissingReal;
}

bool Reaches(double share) { return IsKnown(share) && share >= kReached; }
bool IsFar(double share) { return IsKnown(share) && share < kFar; }

Quadrant QuadrantOf(double compute, double bandwidth) {
  const bool both_known = IsKnown(compute) && IsKnown(bandwidth);
  if (both_known && Reaches(compute) && Reaches(bandwidth)) return Quadrant::kBoth;
  if (Reaches(compute)) return Quadrant::kCompute;
  if (Reaches(bandwidth)) return Quadrant::kMemory;
  return both_known ? Quadrant::kNeither : Quadrant::kUnknown;
}

Limit LimitOf(const OpCost& cost, double compute_ns, double memory_ns, const Roofline& roofline) {
  if (!IsKnown(memory_ns)) return Limit::kUnknown;
  // Work with unknown arithmetic only moves data, unless it is a matrix product.
  const bool only_moves = !IsKnown(compute_ns) && !cost.matrix();
  if (!IsKnown(compute_ns) && !only_moves) return Limit::kUnknown;
  if (compute_ns <= 0 && memory_ns <= 0) return Limit::kUnknown;
  const bool far_from_compute = only_moves || IsFar(roofline.compute_share);
  if (far_from_compute && IsFar(roofline.bandwidth_share)) return Limit::kLatency;
  return compute_ns > memory_ns ? Limit::kCompute : Limit::kMemory;
}

}  // namespace

std::string_view ToString(Limit limit) {
  switch (limit) {
    case Limit::kUnknown:
      return "";
    case Limit::kCompute:
      return "compute";
    case Limit::kMemory:
      return "memory";
    case Limit::kLatency:
      return "latency";
  }
  return "";
}

std::string_view ToString(Quadrant quadrant) {
  switch (quadrant) {
    case Quadrant::kUnknown:
      return "";
    case Quadrant::kBoth:
      return "both ceilings";
    case Quadrant::kCompute:
      return "compute ceiling";
    case Quadrant::kMemory:
      return "memory ceiling";
    case Quadrant::kNeither:
      return "below both";
  }
  return "";
}

double ComputePeak(const OpCost& cost, const GpuPeaks& peaks) {
  return peaks.Peak(cost.precision, cost.matrix());
}

double SpeedOfLightNs(const OpCost& cost, const GpuPeaks& peaks) {
  // Each of the two is a lower bound; work with unknown FLOPs only moves data.
  const double memory = MemoryNs(cost, peaks);
  const double compute = ComputeNs(cost, peaks);
  if (cost.matrix() && !IsKnown(compute)) return kMissingReal;
  return std::max(memory, compute);
}

Roofline MakeRoofline(const OpCost& cost, DurationNs time, const GpuPeaks& peaks,
                      double speed_of_light_ns) {
  Roofline roofline;
  if (!cost.known()) return roofline;
  roofline.intensity = Ratio(cost.flops, cost.bytes);
  roofline.compute_peak = ComputePeak(cost, peaks);
  roofline.speed_of_light_ns =
      IsKnown(speed_of_light_ns) ? speed_of_light_ns : SpeedOfLightNs(cost, peaks);
  const double compute_ns = ComputeNs(cost, peaks);
  const double memory_ns = MemoryNs(cost, peaks);
  if (time > 0) {
    const auto actual = static_cast<double>(time);
    roofline.flop_rate = IsKnown(cost.flops) ? cost.flops / actual * kNsPerSecond : kMissingReal;
    roofline.byte_rate = IsKnown(cost.bytes) ? cost.bytes / actual * kNsPerSecond : kMissingReal;
    roofline.compute_share = Ratio(compute_ns, actual);
    roofline.bandwidth_share = Ratio(memory_ns, actual);
    roofline.efficiency = Ratio(roofline.speed_of_light_ns, actual);
  }
  roofline.limit = LimitOf(cost, compute_ns, memory_ns, roofline);
  roofline.quadrant = QuadrantOf(roofline.compute_share, roofline.bandwidth_share);
  return roofline;
}

void Accumulate(OpCost& sum, const OpCost& cost) {
  const bool first = !sum.known();
  if (first) {
    sum = cost;
    return;
  }
  sum.flops = IsKnown(sum.flops) && IsKnown(cost.flops) ? sum.flops + cost.flops : kMissingReal;
  sum.bytes = IsKnown(sum.bytes) && IsKnown(cost.bytes) ? sum.bytes + cost.bytes : kMissingReal;
  // The number format of the largest part of the matrix products, or the first known one.
  const bool takes_over = cost.matrix_flops > sum.matrix_flops ||
                          (sum.precision == Precision::kUnknown && !sum.matrix());
  if (takes_over) {
    sum.precision = cost.precision;
    if (cost.matrix_flops > 0) sum.family = cost.family;
  }
  sum.matrix_flops += cost.matrix_flops;
  sum.measured = sum.measured && cost.measured;
}

}  // namespace warpsight
