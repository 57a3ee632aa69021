#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "agent/cuda_abi/driver.h"

namespace warpsight::agent {

// A kernel on its way to the GPU.
struct Launch {
  std::string_view name;  // mangled
  std::array<uint32_t, 3> grid{};
  std::array<uint32_t, 3> block{};
  CUstream stream = nullptr;
};

// The role of a CUDA driver function in counting kernels.
enum class DriverCall : uint8_t {
  kOther,
  kLaunch,             // cuLaunchKernel
  kCooperativeLaunch,  // cuLaunchCooperativeKernel
  kConfiguredLaunch,   // cuLaunchKernelEx
  kGraphLaunch,
  kBeginCapture,
  kEndCapture,
  kProfilerStart,
  kProfilerStop,
};
// `function` without its version, as by WithoutVersion.
DriverCall DriverCallOf(std::string_view function);

// The launch that a callback is about; nothing where it is not one of a single kernel.
std::optional<Launch> ReadLaunch(DriverCall call, const void* params, const char* symbol);

// Collectives wait for kernels of other GPUs: one that is run again, or alone, never ends.
bool IsCollective(std::string_view kernel);

// Chooses the launches whose counters are read: the first few of each kernel with the same grid and
// block. Any thread.
class LaunchSampler {
 public:
  explicit LaunchSampler(uint32_t count) : count_(count) {}

  struct Sample {
    uint32_t instance = 0;   // its number among those of its kind
    bool everything = true;  // else what one pass can count: the rest is known
  };
  // Set if this launch is to be measured.
  std::optional<Sample> Take(const Launch& launch);
  // The launch that was taken last of its kind did not take place on the GPU.
  void GiveBack(const Launch& launch);
  // Everything was counted of a launch of this kind.
  void NoteEverything(const Launch& launch);

 private:
  // Programs that use unlimited different grids must not use unlimited memory.
  static constexpr size_t kMostKinds = size_t{1} << 16U;

  static std::string KeyOf(const Launch& launch);

  struct Kind {
    uint32_t taken = 0;
    bool known = false;
  };

  const uint32_t count_;
  std::mutex mutex_;
  std::unordered_map<std::string, Kind> kinds_;
};

}  // namespace warpsight::agent
