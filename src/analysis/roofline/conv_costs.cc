#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/roofline/op_rules.h"

namespace warpsight {
namespace {

using Integers = std::vector<int64_t>;

double Product(const Integers& numbers) {
  double product = 1;
  for (const int64_t number : numbers) product *= static_cast<double>(number);
  return product;
}

// The number for dimension i. A single number stands for all dimensions.
int64_t PerDimension(const Integers& numbers, size_t i, int64_t otherwise) {
  if (numbers.empty()) return otherwise;
  return numbers[std::min(i, numbers.size() - 1)];
}

Integers Spatial(const Tensor& tensor) {
  return tensor.rank() < 3 ? Integers() : Integers(tensor.dims().begin() + 2, tensor.dims().end());
}

// A number of positions, limited so that values from a damaged file do not overflow.
int64_t Positions(double count) {
  constexpr double kMost = 9e18;
  if (!(count > 0)) return 0;
  return static_cast<int64_t>(count < kMost ? count : kMost);
}

struct Window {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;

  // The number of output positions of a window that moves over `input` positions. If it is rounded
  // up, the last window must still begin inside the input or its left padding.
  int64_t Outputs(int64_t input, bool round_up) const {
    if (stride <= 0) return 0;
    const auto number = [](int64_t value) { return static_cast<double>(value); };
    const double reach = number(dilation) * (number(size) - 1) + 1;
    const double steps = (number(input) + 2 * number(padding) - reach) / number(stride);
    if (steps < 0) return 0;
    if (!round_up) return Positions(std::floor(steps) + 1);
    const double last = std::ceil(steps);
    const bool inside = last * number(stride) < number(input) + number(padding);
    return Positions(inside ? last + 1 : last);
  }
};

// The positions of a convolution's arguments, which differ between ops.
struct Layout {
  std::string_view name;
  int stride, padding, dilation;
  int transposed;  // -1: never, -2: always
  int output_padding;
};

constexpr int kNever = -1;
constexpr int kAlways = -2;

constexpr Layout kLayouts[] = {
    {"convolution", 3, 4, 5, 6, 7},
    {"conv", 3, 4, 5, kNever, -1},             // conv1d, conv2d, conv3d
    {"conv_transpose", 3, 4, 7, kAlways, 5},   // conv_transpose1d, ...
    {"cudnn", 3, 2, 4, kNever, -1},            // cudnn_convolution
    {"cudnn_transpose", 4, 2, 5, kAlways, 3},  // cudnn_convolution_transpose
    {"miopen", 4, 3, 5, kNever, -1},           // miopen_convolution, miopen_depthwise_convolution
    {"miopen_transpose", 5, 3, 6, kAlways, 4},
    {"add_relu", 5, 6, 7, kNever, -1},  // cudnn_convolution_add_relu
    {"windowed", 4, 5, 6, kNever, -1},  // _conv_depthwise2d, slow_conv; argument 2: window size
};

// The `first` of a rule is the row of its layout in the table.
const Layout& LayoutOf(const OpRule& rule) { return kLayouts[static_cast<size_t>(rule.first)]; }

void SetChannels(const Tensor& weight, ConvShape& shape) {
  // weight[K, C/groups, ...]; for a transposed convolution, weight[C, K/groups, ...].
  const int64_t outer = weight.Dim(0);
  const int64_t inner = weight.Dim(1);
  shape.filter = Spatial(weight);
  if (shape.transposed) {
    shape.out_channels = Positions(static_cast<double>(inner) *
                                   static_cast<double>(std::max<int64_t>(shape.groups, 1)));
  } else {
    shape.out_channels = outer;
    shape.groups = inner > 0 ? std::max<int64_t>(1, shape.in_channels / inner) : 1;
  }
}

bool SetOutput(const Signature& signature, const Layout& layout, ConvShape& shape) {
  const auto at = [&signature](int i) -> const InputValue& {
    return signature.ValueAt(static_cast<size_t>(i));
  };
  const auto strides = at(layout.stride).Integers();
  const bool has_dilation = static_cast<size_t>(layout.dilation) < signature.arguments.size();
  const auto dilations = has_dilation ? at(layout.dilation).Integers() : Integers{1};
  const InputValue& padding = at(layout.padding);
  auto paddings = padding.Integers();
  if (padding.Text() == "same") {
    shape.output = shape.input;
    return true;
  }
  if (padding.Text() == "valid") paddings = Integers{0};
  if (!strides || !dilations || !paddings) return false;
  for (size_t i = 0; i < shape.input.size(); ++i) {
    const Window window{shape.filter[i], PerDimension(*strides, i, 1),
                        PerDimension(*paddings, i, 0), PerDimension(*dilations, i, 1)};
    if (!shape.transposed) {
      shape.output.push_back(window.Outputs(shape.input[i], false));
      continue;
    }
    const auto extra = at(layout.output_padding).Integers();
    const auto number = [](int64_t value) { return static_cast<double>(value); };
    shape.output.push_back(Positions((number(shape.input[i]) - 1) * number(window.stride) -
                                     2 * number(window.padding) +
                                     number(window.dilation) * (number(window.size) - 1) + 1 +
                                     number(extra ? PerDimension(*extra, i, 0) : 0)));
  }
  return true;
}

double OutputBytes(const ConvShape& shape) {
  const double element = ElementBytes(shape.type);
  if (element < 0) return kMissingReal;
  return element * static_cast<double>(shape.batch) * static_cast<double>(shape.out_channels) *
         Product(shape.output);
}

}  // namespace

double ConvShape::Flops() const {
  // Each position of the output (or of the input, if transposed) uses one filter.
  const Integers& positions = transposed ? input : output;
  const auto group_count = static_cast<double>(std::max<int64_t>(groups, 1));
  return 2 * static_cast<double>(batch) * Product(positions) * static_cast<double>(in_channels) *
         static_cast<double>(out_channels) / group_count * Product(filter);
}

std::optional<ConvShape> ConvolutionShape(const OpRule& rule, const Signature& signature) {
  const Tensor* input = signature.TensorAt(0);
  const Tensor* weight = signature.TensorAt(1);
  if (input == nullptr || weight == nullptr || input->rank() != weight->rank() ||
      input->rank() < 3 || input->rank() > 5) {
    return std::nullopt;
  }
  const Layout& layout = LayoutOf(rule);
  ConvShape shape;
  shape.batch = input->Dim(0);
  shape.in_channels = input->Dim(1);
  shape.input = Spatial(*input);
  shape.type = input->type;
  shape.transposed = layout.transposed == kAlways;
  if (layout.transposed >= 0) {
    const auto transposed = signature.ValueAt(static_cast<size_t>(layout.transposed)).Boolean();
    if (!transposed) return std::nullopt;
    shape.transposed = *transposed;
  }
  if (shape.transposed) {
    const auto groups =
        signature.ValueAt(rule.second == 0 ? 8 : static_cast<size_t>(rule.second)).Number();
    if (groups && *groups >= 1 && *groups < 1e9) shape.groups = static_cast<int64_t>(*groups);
  }
  SetChannels(*weight, shape);
  if (!SetOutput(signature, layout, shape)) return std::nullopt;
  return shape;
}

// convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation,
// transposed, output_padding, groups, output_mask); `second` is the position of `transposed`.
std::optional<ConvShape> ConvolutionBackwardShape(const OpRule& rule, const Signature& signature) {
  const Tensor* gradient = signature.TensorAt(static_cast<size_t>(rule.first));
  const Tensor* input = signature.TensorAt(rule.first == 0 ? 1 : 0);
  const Tensor* weight = signature.TensorAt(2);
  if (gradient == nullptr || input == nullptr || weight == nullptr || input->rank() < 3 ||
      input->rank() != weight->rank() || input->rank() != gradient->rank()) {
    return std::nullopt;
  }
  ConvShape shape;
  shape.backward = true;
  shape.batch = input->Dim(0);
  shape.in_channels = input->Dim(1);
  shape.input = Spatial(*input);
  shape.output = Spatial(*gradient);
  shape.type = gradient->type;
  // Without the recorded value: a transposed convolution's weight has the input's channels first.
  const auto transposed = signature.ValueAt(static_cast<size_t>(rule.second)).Boolean();
  shape.transposed = transposed
                         ? *transposed
                         : weight->Dim(0) != gradient->Dim(1) && weight->Dim(0) == input->Dim(1);
  if (shape.transposed) {
    shape.groups = std::max<int64_t>(1, gradient->Dim(1) / std::max<int64_t>(1, weight->Dim(1)));
  }
  SetChannels(*weight, shape);
  shape.out_channels = gradient->Dim(1);
  return shape;
}

OpCost ConvolutionCost(const OpRule& rule, const CostInput& input) {
  const auto shape = ConvolutionShape(rule, *input.own);
  if (!shape) {
    const bool has_shapes = input.own->TensorAt(0) != nullptr && input.own->TensorAt(1) != nullptr;
    return Unavailable(has_shapes ? CostGap::kNoValues : CostGap::kNoShapes);
  }
  double read = 0;
  for (const Argument& argument : input.own->arguments) {
    if (const Tensor* tensor = argument.tensor()) read = AddBytes({read, tensor->Bytes()});
  }
  return MatrixCost(rule, shape->Flops(), AddBytes({read, OutputBytes(*shape)}), shape->type);
}

OpCost ConvolutionBackwardCost(const OpRule& rule, const CostInput& input) {
  const auto shape = ConvolutionBackwardShape(rule, *input.own);
  if (!shape) return Unavailable(CostGap::kNoShapes);
  const Tensor& gradient = *input.own->TensorAt(static_cast<size_t>(rule.first));
  const Tensor& x = *input.own->TensorAt(rule.first == 0 ? 1 : 0);
  const Tensor& weight = *input.own->TensorAt(2);
  // output_mask, the last argument: gradients of input, weight and bias that are wanted. Without
  // it the number of passes is not known.
  const auto mask = input.own->ValueAt(input.own->arguments.size() - 1).Booleans();
  if (!mask) return Unavailable(CostGap::kNoValues);
  const bool data = !mask->empty() && (*mask)[0];
  const bool weights = mask->size() > 1 && (*mask)[1];
  const double passes = (data ? 1 : 0) + (weights ? 1 : 0);
  double bytes = gradient.Bytes();
  // The gradient of the input reads the weight, that of the weight reads the input.
  if (data) bytes = AddBytes({bytes, weight.Bytes(), x.Bytes()});
  if (weights) bytes = AddBytes({bytes, x.Bytes(), weight.Bytes()});
  return MatrixCost(rule, passes * shape->Flops(), bytes, shape->type);
}

// cudnn_convolution_backward_input(sizes, grad_output, weight, ...), before PyTorch 1.11.
OpCost ConvolutionInputGradientCost(const OpRule& rule, const CostInput& input) {
  const Tensor* gradient = input.own->TensorAt(1);
  const Tensor* weight = input.own->TensorAt(2);
  if (gradient == nullptr || weight == nullptr || weight->Dim(0) <= 0) {
    return Unavailable(CostGap::kNoShapes);
  }
  const double filter = weight->Elements() / static_cast<double>(weight->Dim(0));
  // The size of the input's gradient is an argument that profilers of these versions did not
  // record.
  return MatrixCost(rule, 2 * gradient->Elements() * filter, kMissingReal, gradient->type);
}

// cudnn_convolution_backward_weight(sizes, grad_output, input, ...), before PyTorch 1.11: the
// forward op determines the shape of the weight.
OpCost ConvolutionWeightGradientCost(const OpRule& rule, const CostInput& input) {
  if (input.own == nullptr || input.forward == nullptr) return Unavailable(CostGap::kNoShapes);
  const Tensor* gradient = input.own->TensorAt(1);
  const Tensor* x = input.own->TensorAt(2);
  const Tensor* weight = input.forward->TensorAt(1);
  if (gradient == nullptr || x == nullptr || weight == nullptr || weight->Dim(0) <= 0) {
    return Unavailable(CostGap::kNoShapes);
  }
  const double filter = weight->Elements() / static_cast<double>(weight->Dim(0));
  return MatrixCost(rule, 2 * gradient->Elements() * filter,
                    AddBytes({gradient->Bytes(), x->Bytes(), weight->Bytes()}), gradient->type);
}

// max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode) and avg_pool2d(input,
// kernel_size, stride, padding, ceil_mode, ...): `second` is the position of ceil_mode, `factor`
// the number of bytes of the index that is written per output.
OpCost PoolingCost(const OpRule& rule, const CostInput& input) {
  const Tensor* x = input.own->TensorAt(0);
  if (x == nullptr) return Unavailable(CostGap::kNoShapes);
  const auto sizes = input.own->ValueAt(1).Integers();
  if (!sizes || sizes->empty()) return Unavailable(CostGap::kNoValues);
  const auto strides = input.own->ValueAt(2).Integers();
  const auto paddings = input.own->ValueAt(3).Integers();
  const bool dilated = rule.second == 5;
  const auto dilations = dilated ? input.own->ValueAt(4).Integers() : std::nullopt;
  const bool round_up =
      input.own->ValueAt(static_cast<size_t>(rule.second)).Boolean().value_or(false);
  const auto dimensions = static_cast<int64_t>(rule.names.find("1d") != rule.names.npos   ? 1
                                               : rule.names.find("3d") != rule.names.npos ? 3
                                                                                          : 2);
  if (x->rank() < dimensions) return Unavailable(CostGap::kNoShapes);
  double out = 1;
  double window_size = 1;
  for (int64_t i = 0; i < x->rank(); ++i) {
    const int64_t spatial = i - (x->rank() - dimensions);
    if (spatial < 0) {
      out *= static_cast<double>(x->Dim(i));
      continue;
    }
    const auto d = static_cast<size_t>(spatial);
    const int64_t size = PerDimension(*sizes, d, 1);
    // An empty stride stands for the size of the window.
    const Window window{size, PerDimension(strides.value_or(Integers()), d, size),
                        PerDimension(paddings.value_or(Integers()), d, 0),
                        PerDimension(dilations.value_or(Integers()), d, 1)};
    out *= static_cast<double>(window.Outputs(x->Dim(i), round_up));
    window_size *= static_cast<double>(size);
  }
  const double element = ElementBytes(x->type);
  const double written = element < 0 ? kMissingReal : out * (element + rule.factor);
  return VectorCost(rule, out * window_size, AddBytes({x->Bytes(), written}), x->type);
}

// Reads the output's gradient and, if there are any, indices (the last tensor); writes a gradient
// with the shape of the input (argument 1).
OpCost PoolingBackwardCost(const OpRule& rule, const CostInput& input) {
  const Tensor* gradient = input.own->TensorAt(0);
  const Tensor* x = input.own->TensorAt(1);
  if (gradient == nullptr || x == nullptr) return Unavailable(CostGap::kNoShapes);
  double bytes = AddBytes({gradient->Bytes(), x->Bytes()});
  for (size_t i = 2; i < input.own->arguments.size(); ++i) {
    if (const Tensor* indices = input.own->TensorAt(i)) bytes = AddBytes({bytes, indices->Bytes()});
  }
  const double flops = rule.factor > 0 ? x->Elements() : gradient->Elements();
  return VectorCost(rule, flops, bytes, gradient->type);
}

// adaptive_avg_pool2d(input, output_size): every input is added once.
OpCost AdaptivePoolingCost(const OpRule& rule, const CostInput& input) {
  const Tensor* x = input.own->TensorAt(0);
  if (x == nullptr) return Unavailable(CostGap::kNoShapes);
  const auto sizes = input.own->ValueAt(1).Integers();
  if (!sizes || sizes->empty() || static_cast<int64_t>(sizes->size()) > x->rank()) {
    return Unavailable(CostGap::kNoValues);
  }
  double out = Product(*sizes);
  for (int64_t i = 0; i + static_cast<int64_t>(sizes->size()) < x->rank(); ++i) {
    out *= static_cast<double>(x->Dim(i));
  }
  const double element = ElementBytes(x->type);
  const double written = element < 0 ? kMissingReal : out * element;
  return VectorCost(rule, x->Elements(), AddBytes({x->Bytes(), written}), x->type);
}

}  // namespace warpsight
