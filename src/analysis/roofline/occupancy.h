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

// The recorded values; missing ones by compute capability (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability"). nullopt if the number of multiprocessors is neither
// recorded nor known for the GPU's name.
std::optional<GpuLimits> LimitsOf(ProfileView profile, const CostModel& costs, DeviceId device);
// The same using only the trace; nullopt without the number of multiprocessors or the compute
// capability, and for GPUs of other vendors than NVIDIA.
std::optional<GpuLimits> RecordedLimitsOf(const Trace& trace, DeviceId device);

// How a kernel was launched.
struct LaunchShape {
  int64_t blocks = 0;
  int64_t threads = 0;       // per block
  int64_t registers = 0;     // per thread; 0: not recorded
  int64_t shared_bytes = 0;  // per block; 0: none, or not recorded
};

// nullopt for copies and memsets, and if the launch was not recorded.
std::optional<LaunchShape> LaunchOf(const Trace& trace, GpuId gpu);
// "grid [24, 1, 1], block [256, 1, 1], 40 registers, 16 KiB shared"; empty if LaunchOf() returns
// nullopt.
std::string LaunchText(const Trace& trace, GpuId gpu);

// The number of blocks that fit on a multiprocessor at the same time; at least 1.
int64_t ResidentBlocks(const LaunchShape& launch, const GpuLimits& limits);

// The threads that a launch keeps on a multiprocessor, in percent of the maximum, as PyTorch's
// profiler estimates it: those of the blocks that fit or, if fewer, of the available blocks.
double AchievedOccupancyPercent(const LaunchShape& launch, const GpuLimits& limits);

// The number of rounds in which a GPU runs a kernel's blocks, as a fraction: 2.1 waves take about
// as long as 3.
double Waves(const LaunchShape& launch, const GpuLimits& limits);

}  // namespace warpsight
