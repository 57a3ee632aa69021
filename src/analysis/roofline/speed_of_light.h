#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/roofline/gpu_peaks.h"
#include "analysis/roofline/op_cost.h"
#include "base/units.h"

namespace warpsight {

// The limit at the speed of light: compute if the intensity is above the GPU's ratio of peak to
// bandwidth, otherwise memory. Work far below both ceilings is limited by latency: launches,
// dependencies, too little parallelism.
enum class Limit : uint8_t { kUnknown, kCompute, kMemory, kLatency };

// The ceilings that are reached, to 70 % or more of each.
enum class Quadrant : uint8_t { kUnknown, kBoth, kCompute, kMemory, kNeither };

std::string_view ToString(Limit limit);
std::string_view ToString(Quadrant quadrant);

// From this share of a ceiling on, it counts as reached (metrics.md).
inline constexpr double kReached = 0.7;
// If both shares are below this, neither ceiling limits the work. Our choice: between this and
// kReached, the work is merely inefficient.
inline constexpr double kFar = 0.3;

// Work compared with the roofline of a GPU. Unknown values are kMissingReal.
struct Roofline {
  double intensity = kMissingReal;        // FLOPs per byte
  double flop_rate = kMissingReal;        // achieved, per second
  double byte_rate = kMissingReal;        // achieved, per second
  double compute_peak = kMissingReal;     // for the number format in use, per second
  double compute_share = kMissingReal;    // of the compute peak, 0..1 (above 1: estimate too high)
  double bandwidth_share = kMissingReal;  // of the memory bandwidth
  double speed_of_light_ns = kMissingReal;
  double efficiency = kMissingReal;  // speed of light / actual time
  Limit limit = Limit::kUnknown;
  Quadrant quadrant = Quadrant::kUnknown;
};

// The shortest time in which a GPU can do the work: the longer of arithmetic at its peak and
// traffic at full bandwidth; kMissingReal if neither is known.
double SpeedOfLightNs(const OpCost& cost, const GpuPeaks& peaks);

// The peak that applies to a cost: that of its matrix products, or of vector units.
double ComputePeak(const OpCost& cost, const GpuPeaks& peaks);

// For the total cost of calls that took `time` together. `speed_of_light_ns` is the sum of their
// times if calls differ; if it is negative, it is computed from the total cost.
Roofline MakeRoofline(const OpCost& cost, DurationNs time, const GpuPeaks& peaks,
                      double speed_of_light_ns = kMissingReal);

// Adds the cost of one call to that of others. FLOPs and bytes stay known only if they are known
// for all.
void Accumulate(OpCost& sum, const OpCost& cost);

}  // namespace warpsight
