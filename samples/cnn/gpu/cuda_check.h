#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace cnn {

// Throws an error of the CUDA runtime, with the name of the call.
inline void CudaCheck(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::string message = std::string(what) + ": " + cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation) message += "; try a smaller --batch";
  throw std::runtime_error(message);
}

// Checks whether a launch succeeded. Errors while the kernel runs are reported by the next call
// that waits.
inline void CheckLaunch(const char* kernel) { CudaCheck(cudaGetLastError(), kernel); }

}  // namespace cnn
