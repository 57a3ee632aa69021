#pragma once

#include <cstdint>

#include "model/limits.h"
#include "model/trace_builder.h"

namespace warpsight {

inline bool IsWithin(int64_t low, int64_t value, int64_t high) {
  return value == kMissing || (value >= low && value <= high);
}

// `value` if it is missing or within [low, high]; otherwise missing, and the problem is logged with
// its place in the file.
inline int64_t Within(int64_t low, int64_t value, int64_t high, TracePart& part,
                      int64_t offset = kMissing) {
  if (IsWithin(low, value, high)) return value;
  part.Log(kAbsurdNumber, offset, kAbsurdNumberMessage);
  return kMissing;
}

}  // namespace warpsight
