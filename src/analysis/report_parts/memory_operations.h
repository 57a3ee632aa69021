#pragma once

#include <string_view>

#include "model/trace.h"

namespace warpsight {

// Copies by direction, and memsets: the rows of Nsight Systems' and nvprof's memory reports.
inline constexpr size_t kMemoryOperationCount = 7;

struct MemoryOperationName {
  std::string_view nsys;    // "[CUDA memcpy Host-to-Device]"
  std::string_view nvprof;  // "[CUDA memcpy HtoD]"
};

// The operation of a row of gpu_activities that is not a kernel: an index below
// kMemoryOperationCount.
size_t MemoryOperationOf(const GpuActivitiesTable& gpu, size_t row);
MemoryOperationName NameOfMemoryOperation(size_t operation);

}  // namespace warpsight
