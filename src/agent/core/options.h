#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/units.h"

namespace warpsight::agent {

// What to record, as passed by `warpsight profile` in the environment.
struct Options {
  std::string folder;  // of the run
  uint64_t run = 0;
  bool shapes = false;
  bool stacks = false;
  bool memory = false;
  // Hardware counters instead of a timeline, of the first so many launches of a kernel with the
  // same grid and block.
  bool counters = false;
  uint32_t counted_launches = 3;
  DurationNs delay = 0;
  DurationNs duration = 0;  // 0: to the end
  int64_t first_step = -1;  // -1: from the beginning
  int64_t step_after_last = -1;
  // Clean stretches between recorded ones; the rank knows others with which it must agree.
  bool stretches = false;
  bool distributed = false;
  // For measurements and tests.
  bool calls = true;      // CUDA calls
  bool syncs = false;     // CUPTI's synchronization records, whose content the calls also provide
  bool overhead = false;  // CUPTI's records of its own cost
  bool raw = false;       // also writes CUPTI's records as they are (raw_records.h)
  bool compress = true;   // frames, by zstd
  uint64_t file_limit = uint64_t{16} << 30U;  // bytes of one process

  // nullopt if this program is not to be recorded.
  static std::optional<Options> FromEnvironment();
};

}  // namespace warpsight::agent
