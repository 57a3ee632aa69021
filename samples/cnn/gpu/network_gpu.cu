#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu.h"
#include "gpu/conv_gpu.h"
#include "gpu/cuda_check.h"
#include "gpu/device_buffer.h"
#include "gpu/event_timer.h"
#include "gpu/layers_gpu.h"
#include "nvtx_range.h"

namespace cnn {
namespace {

MakeConvolution& FindBuilt(const std::string& variant) {
  MakeConvolution* make = FindConvolution(variant);
  if (make == nullptr) throw std::invalid_argument(variant + " is not built");
  return *make;
}

// The network with all its data in GPU memory, for batches up to a given size.
class GpuNetwork {
 public:
  static constexpr int kMarks = 5;

  GpuNetwork(MakeConvolution& make, const Weights& weights, int batch)
      : conv1_(make(Conv1(batch), weights.conv1)),
        conv2_(make(Conv2(batch), weights.conv2)),
        fc1_(weights.fc1),
        fc2_(weights.fc2),
        fc2_bias_(weights.fc2_bias),
        conv1_out_(Conv1(batch).output_size()),
        pool1_out_(Conv2(batch).input_size()),
        conv2_out_(Conv2(batch).output_size()),
        pool2_out_(size_t(batch) * kFeatures),
        hidden_(size_t(batch) * kHidden) {}

  // `images` and `scores` are in GPU memory. Adds kMarks marks, the first before any work.
  void Forward(const float* images, int count, float* scores, EventTimer& timer) {
    timer.Mark();
    {
      NvtxRange range("conv1");
      conv1_->Run(images, conv1_out_.data(), count);
    }
    timer.Mark();
    {
      NvtxRange range("relu_pool1");
      ReluPoolOnGpu(Conv1(count), conv1_out_.data(), pool1_out_.data());
    }
    timer.Mark();
    {
      NvtxRange range("conv2");
      conv2_->Run(pool1_out_.data(), conv2_out_.data(), count);
    }
    timer.Mark();
    {
      NvtxRange range("relu_pool2");
      ReluPoolOnGpu(Conv2(count), conv2_out_.data(), pool2_out_.data());
    }
    {
      NvtxRange range("fc1");
      FullyConnectedOnGpu(pool2_out_.data(), fc1_.data(), nullptr, true, count, kFeatures, kHidden,
                          hidden_.data());
    }
    {
      NvtxRange range("fc2");
      FullyConnectedOnGpu(hidden_.data(), fc2_.data(), fc2_bias_.data(), false, count, kHidden,
                          kClasses, scores);
    }
    timer.Mark();
  }

  // The times of one Forward, whose first mark was `mark`.
  static LayerTimes Times(const EventTimer& timer, int mark) {
    return {timer.Milliseconds(mark + 1), timer.Milliseconds(mark + 3),
            timer.Milliseconds(mark + 2) + timer.Milliseconds(mark + 4)};
  }

 private:
  std::unique_ptr<Convolution> conv1_;
  std::unique_ptr<Convolution> conv2_;
  DeviceBuffer<float> fc1_, fc2_, fc2_bias_;
  DeviceBuffer<float> conv1_out_, pool1_out_, conv2_out_, pool2_out_, hidden_;
};

}  // namespace

std::string GpuName() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) throw NoGpu(cudaGetErrorString(status));
  if (count == 0) throw NoGpu("no CUDA device found");
  cudaDeviceProp properties;
  CudaCheck(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  return properties.name;
}

ForwardResult ForwardOnGpu(const std::string& variant, const Weights& weights, const float* images,
                           int count, const GpuRun& run) {
  const int batch = std::min(run.batch, count);
  NvtxRange range("classify");
  GpuNetwork network(FindBuilt(variant), weights, batch);
  DeviceBuffer<float> device_scores(size_t(count) * kClasses);
  DeviceBuffer<float> device_images(size_t(count) * kImageSize);
  {
    NvtxRange copy_range("copy images");
    device_images.CopyFrom(images);
  }

  EventTimer timer;
  ForwardResult result;
  // Pass 0 is not timed: it includes loading kernels and the first access to memory.
  for (int pass = 0; pass <= run.repeat; ++pass) {
    const std::string name = pass == 0 ? "warm-up" : "repeat " + std::to_string(pass);
    NvtxRange pass_range(name.c_str());
    timer.Restart();
    int marks = 0;
    for (int first = 0; first < count; first += batch, marks += GpuNetwork::kMarks) {
      network.Forward(device_images.data() + size_t(first) * kImageSize,
                      std::min(batch, count - first),
                      device_scores.data() + size_t(first) * kClasses, timer);
    }
    CudaCheck(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    if (pass == 0) continue;
    for (int mark = 0; mark < marks; mark += GpuNetwork::kMarks) {
      const LayerTimes times = GpuNetwork::Times(timer, mark);
      result.times.conv1 += times.conv1 / run.repeat;
      result.times.conv2 += times.conv2 / run.repeat;
      result.times.rest += times.rest / run.repeat;
    }
  }
  result.scores = device_scores.ToHost();
  return result;
}

std::vector<float> ConvolveOnGpu(const std::string& variant, const ConvShape& shape,
                                 const std::vector<float>& input,
                                 const std::vector<float>& weights) {
  // Memory is NaN until it is written; the guard after the output must stay NaN.
  constexpr size_t kGuard = 4096;
  const size_t size = shape.output_size();
  DeviceBuffer<float> device_input(input);
  DeviceBuffer<float> output(
      std::vector<float>(size + kGuard, std::numeric_limits<float>::quiet_NaN()));
  FindBuilt(variant)(shape, weights)->Run(device_input.data(), output.data(), shape.images);
  CudaCheck(cudaDeviceSynchronize(), variant.c_str());
  std::vector<float> values = output.ToHost();
  if (!std::all_of(values.begin() + size, values.end(), [](float v) { return std::isnan(v); })) {
    throw std::runtime_error("wrote past the end of the output");
  }
  values.resize(size);
  return values;
}

}  // namespace cnn
