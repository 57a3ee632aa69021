#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "gpu/cuda_check.h"

namespace cnn {

// Owns GPU memory for `size` values.
template <class T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t size) : size_(size) {
    CudaCheck(cudaMalloc(&data_, size * sizeof(T)), "cudaMalloc");
  }
  explicit DeviceBuffer(const std::vector<T>& values) : DeviceBuffer(values.size()) {
    CopyFrom(values.data());
  }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }

  // Fills it from CPU memory.
  void CopyFrom(const T* values) {
    CudaCheck(cudaMemcpy(data_, values, size_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }

  // Waits for the GPU first.
  std::vector<T> ToHost() const {
    std::vector<T> values(size_);
    CudaCheck(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost),
              "cudaMemcpy");
    return values;
  }

 private:
  T* data_ = nullptr;
  size_t size_;
};

}  // namespace cnn
