#include "analysis/report_parts/memory_operations.h"

namespace warpsight {
namespace {

constexpr MemoryOperationName kNames[kMemoryOperationCount] = {
    {"[CUDA memset]", "[CUDA memset]"},
    {"[CUDA memcpy Host-to-Device]", "[CUDA memcpy HtoD]"},
    {"[CUDA memcpy Device-to-Host]", "[CUDA memcpy DtoH]"},
    {"[CUDA memcpy Device-to-Device]", "[CUDA memcpy DtoD]"},
    {"[CUDA memcpy Peer-to-Peer]", "[CUDA memcpy PtoP]"},
    {"[CUDA memcpy Host-to-Host]", "[CUDA memcpy HtoH]"},
    {"[CUDA memcpy Unknown]", "[CUDA memcpy]"},
};

}  // namespace

size_t MemoryOperationOf(const GpuActivitiesTable& gpu, size_t row) {
  if (gpu.kind[row] == GpuKind::kMemset) return 0;
  switch (gpu.copy_direction[row]) {
    case CopyDirection::kHostToDevice:
      return 1;
    case CopyDirection::kDeviceToHost:
      return 2;
    case CopyDirection::kDeviceToDevice:
      return 3;
    case CopyDirection::kPeerToPeer:
      return 4;
    case CopyDirection::kHostToHost:
      return 5;
    case CopyDirection::kNotACopy:
    case CopyDirection::kUnknown:
      break;
  }
  return 6;
}

MemoryOperationName NameOfMemoryOperation(size_t operation) { return kNames[operation]; }

}  // namespace warpsight
