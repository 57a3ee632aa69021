#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/profile.h"

namespace warpsight {

class CostModel;

// The resources of one GPU. All values except the number of multiprocessors are per multiprocessor.
struct GpuLimits {
  int64_t sms = 0;
  int64_t threads = 0;
  int64_t blocks = 0;
  int64_t registers = 0;
  int64_t shared_bytes = 0;
};

// As the trace recorded them; what it leaves out by compute capability (CUDA C++ Programming Guide,
// "Technical Specifications per Compute Capability"). None where the number of multiprocessors is
// neither recorded nor known for the GPU's name.
std::optional<GpuLimits> LimitsOf(ProfileView profile, const CostModel& costs, DeviceId device);
// The same from what the trace recorded of the GPU; none without its number of multiprocessors or
// its compute capability, and for GPUs that are not NVIDIA's.
std::optional<GpuLimits> RecordedLimitsOf(const Trace& trace, DeviceId device);

// How a kernel was launched.
struct LaunchShape {
  int64_t blocks = 0;
  int64_t threads = 0;       // per block
  int64_t registers = 0;     // per thread; 0: not recorded
  int64_t shared_bytes = 0;  // per block; 0: none, or not recorded
};

// None for copies and memsets, and where the launch was not recorded.
std::optional<LaunchShape> LaunchOf(const Trace& trace, GpuId gpu);
// "grid [24, 1, 1], block [256, 1, 1], 40 registers, 16 KiB shared"; empty where LaunchOf has none.
std::string LaunchText(const Trace& trace, GpuId gpu);

// Blocks that fit on a multiprocessor at the same time; at least 1.
int64_t ResidentBlocks(const LaunchShape& launch, const GpuLimits& limits);

// The share of the threads that fit which a launch keeps on a multiprocessor, in percent, as
// PyTorch's profiler estimates it: the blocks that fit, or those that there are.
double AchievedOccupancyPercent(const LaunchShape& launch, const GpuLimits& limits);

// Rounds in which a GPU runs a kernel's blocks, as a fraction: 2.1 waves take about as long as 3.
double Waves(const LaunchShape& launch, const GpuLimits& limits);

}  // namespace warpsight
