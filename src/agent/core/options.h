#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/units.h"

namespace warpsight::agent {

// What to record, as `warpsight profile` says it in the environment.
struct Options {
  std::string folder;  // of the run
  uint64_t run = 0;
  bool shapes = false;
  bool stacks = false;
  bool memory = false;
  bool counters = false;
  DurationNs delay = 0;
  DurationNs duration = 0;  // 0: to the end
  int64_t first_step = -1;  // -1: from the beginning
  int64_t step_after_last = -1;
  uint64_t file_limit = uint64_t{16} << 30U;  // bytes of one process

  // Nothing where this program is not to be recorded.
  static std::optional<Options> FromEnvironment();
};

}  // namespace warpsight::agent
