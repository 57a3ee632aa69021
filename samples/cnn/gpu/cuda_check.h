#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace cnn {

// Throws what the CUDA runtime says went wrong, and in which call.
inline void CudaCheck(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::string message = std::string(what) + ": " + cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation) message += "; try a smaller --batch";
  throw std::runtime_error(message);
}

// After a launch: whether it could be made at all. What goes wrong while a kernel runs is reported
// by the next call that waits.
inline void CheckLaunch(const char* kernel) { CudaCheck(cudaGetLastError(), kernel); }

}  // namespace cnn
