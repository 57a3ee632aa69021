#include <cudnn.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "conv_cpu.h"
#include "gpu/conv_gpu.h"
#include "gpu/device_buffer.h"

namespace cnn {
namespace {

void CudnnCheck(cudnnStatus_t status) {
  if (status != CUDNN_STATUS_SUCCESS) {
    throw std::runtime_error(std::string("cuDNN: ") + cudnnGetErrorString(status));
  }
}

// A cuDNN object with its functions for creation and destruction.
template <class T, cudnnStatus_t (*create)(T*), cudnnStatus_t (*destroy)(T)>
class Owned {
 public:
  Owned() { CudnnCheck(create(&object_)); }
  ~Owned() { destroy(object_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  operator T() const { return object_; }  // NOLINT(google-explicit-constructor)

 private:
  T object_ = nullptr;
};

using Handle = Owned<cudnnHandle_t, cudnnCreate, cudnnDestroy>;
using Tensor =
    Owned<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using Filter =
    Owned<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor>;
using ConvolutionDescriptor = Owned<cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor,
                                    cudnnDestroyConvolutionDescriptor>;

class Cudnn : public Convolution {
 public:
  Cudnn(const ConvShape& shape, const std::vector<float>& weights)
      : shape_(shape), weights_(weights) {
    CudnnCheck(cudnnSetFilter4dDescriptor(filter_, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW,
                                          shape.out_channels, shape.in_channels, shape.kernel,
                                          shape.kernel));
    // The convolution of neural networks is a cross-correlation: the window is not mirrored. The
    // default math type lets cuDNN use TF32.
    CudnnCheck(cudnnSetConvolution2dDescriptor(convolution_, 0, 0, 1, 1, 1, 1,
                                               CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    Prepare(shape.images);
  }

  void Run(const float* input, float* output, int images) override {
    if (images != prepared_) Prepare(images);
    const float one = 1;
    const float zero = 0;
    CudnnCheck(cudnnConvolutionForward(handle_, &one, input_, input, filter_, weights_.data(),
                                       convolution_, algorithm_.algo, workspace_->data(),
                                       workspace_->size(), &zero, output_, output));
  }

 private:
  // Chooses the algorithm that cuDNN's heuristics expect to be fastest for this number of images.
  void Prepare(int images) {
    CudnnCheck(cudnnSetTensor4dDescriptor(input_, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, images,
                                          shape_.in_channels, shape_.height, shape_.width));
    CudnnCheck(cudnnSetTensor4dDescriptor(output_, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, images,
                                          shape_.out_channels, shape_.out_height(),
                                          shape_.out_width()));
    int found = 0;
    CudnnCheck(cudnnGetConvolutionForwardAlgorithm_v7(handle_, input_, filter_, convolution_,
                                                      output_, 1, &found, &algorithm_));
    if (found == 0 || algorithm_.status != CUDNN_STATUS_SUCCESS) {
      throw std::runtime_error("cuDNN has no algorithm for this convolution");
    }
    CudnnCheck(cudnnSetConvolutionMathType(convolution_, algorithm_.mathType));
    if (workspace_ == nullptr || workspace_->size() < algorithm_.memory) {
      workspace_.reset();
      workspace_ = std::make_unique<DeviceBuffer<char>>(algorithm_.memory);
    }
    prepared_ = images;
  }

  ConvShape shape_;
  DeviceBuffer<float> weights_;
  Handle handle_;
  Tensor input_;
  Tensor output_;
  Filter filter_;
  ConvolutionDescriptor convolution_;
  cudnnConvolutionFwdAlgoPerf_t algorithm_;
  std::unique_ptr<DeviceBuffer<char>> workspace_;
  int prepared_ = 0;
};

}  // namespace

std::unique_ptr<Convolution> MakeCudnn(const ConvShape& shape, const std::vector<float>& weights) {
  CheckShape(shape);
  return std::make_unique<Cudnn>(shape, weights);
}

}  // namespace cnn
