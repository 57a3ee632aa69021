#pragma once

#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace warpsight {

// The memory of one device that a process had allocated in each iteration: the largest totals that
// memory events recorded in it on the CPU, or the last ones before it if those are larger.
struct StepMemory {
  struct Peak {
    int64_t allocated = kMissing;
    int64_t reserved = kMissing;
  };

  SourceId source;
  bool on_cpu;
  int64_t device;             // number in its process
  std::vector<Peak> largest;  // by row of iterations; missing for those of other sources
};

// By source, those of the CPU first, then by device. Empty without memory events.
std::vector<StepMemory> FindStepMemory(ProfileView profile);

}  // namespace warpsight
