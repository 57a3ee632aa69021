#pragma once

#include <string>
#include <string_view>

namespace warpsight::agent {

// The role of a CUDA runtime or driver function in the recording.
enum class CallUse {
  kIgnored,
  kRecorded,
  kLaunch,  // recorded, and starts one kernel
  // These are heard of in clean stretches as well.
  kGraphLaunch,    // recorded, and ends clean stretches for good
  kCapture,        // recorded, and begins the capture of a graph
  kProfilerStart,  // the program's own window
  kProfilerStop,
};

// "cudaLaunchKernel_ptsz_v7000" is cudaLaunchKernel.
std::string_view WithoutVersion(std::string_view callback_name);
CallUse UseOf(std::string_view function);

}  // namespace warpsight::agent
