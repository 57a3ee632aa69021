#pragma once

#include <cstdint>

namespace warpsight::importers::nsys {

// Process and thread ids from the globalPid and globalTid of the tables.
inline int64_t PidOf(int64_t global) { return global / 0x1000000 % 0x1000000; }
inline int64_t TidOf(int64_t global) { return global % 0x1000000; }

}  // namespace warpsight::importers::nsys
