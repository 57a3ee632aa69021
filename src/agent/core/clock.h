#pragma once

#include <time.h>

#include "base/units.h"

namespace warpsight::agent {

// The clock of a recording: CPU ranges use it, CUPTI converts GPU times to it, and all processes of
// a machine share it.
inline TimeNs Now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<TimeNs>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

inline TimeNs UnixNow() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<TimeNs>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace warpsight::agent
