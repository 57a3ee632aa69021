#include "analysis/kernels/tensor_core_eligible.h"

#include "gtest/gtest.h"

namespace warpsight {
namespace {

TEST(IsTensorCoreEligible, MatrixProducts) {
  for (const char* name :
       {"aten::mm", "aten::bmm", "aten::addmm", "aten::baddbmm", "aten::addbmm", "aten::matmul",
        "aten::linear", "aten::einsum", "aten::_scaled_mm", "aten::_addmm_activation", "mm",
        "AddmmBackward0", "MmBackward0", "LinearBackward0", "aten::linear_backward",
        "autograd::engine::evaluate_function: AddmmBackward0", "MatMul", "BatchMatMulV2",
        "dot_general"}) {
    EXPECT_TRUE(IsTensorCoreEligible(name)) << name;
  }
}

TEST(IsTensorCoreEligible, Convolutions) {
  for (const char* name :
       {"aten::conv1d", "aten::conv2d", "aten::conv3d", "aten::conv_transpose2d",
        "aten::convolution", "aten::_convolution", "aten::cudnn_convolution",
        "aten::convolution_backward", "aten::convolution_backward_overrideable",
        "ConvolutionBackward0", "aten::_conv_depthwise2d", "Conv2DBackpropFilter"}) {
    EXPECT_TRUE(IsTensorCoreEligible(name)) << name;
  }
}

TEST(IsTensorCoreEligible, AttentionAndRecurrentCells) {
  for (const char* name :
       {"aten::scaled_dot_product_attention", "aten::_scaled_dot_product_flash_attention",
        "aten::_scaled_dot_product_efficient_attention_backward",
        "aten::_scaled_dot_product_cudnn_attention", "aten::_flash_attention_forward",
        "aten::_efficient_attention_backward", "aten::_cudnn_attention_forward",
        "ScaledDotProductCudnnAttentionBackward0", "flash_attn::_flash_attn_forward", "aten::lstm",
        "aten::gru_cell", "aten::rnn_tanh", "aten::_cudnn_rnn", "aten::_cudnn_rnn_backward",
        "CudnnRnnBackward0"}) {
    EXPECT_TRUE(IsTensorCoreEligible(name)) << name;
  }
}

TEST(IsTensorCoreEligible, OthersAreNot) {
  for (const char* name :
       {"", "aten::add", "aten::bilinear", "aten::upsample_bilinear2d", "aten::layer_norm",
        "aten::_fused_sdp_choice", "aten::_thnn_fused_lstm_cell", "aten::_cudnn_rnn_flatten_weight",
        "aten::mul", "AddBackward0", "aten::communicate", "TBackward0", "aten::sum",
        "Optimizer.step#AdamW.step", "ProfilerStep#3"}) {
    EXPECT_FALSE(IsTensorCoreEligible(name)) << name;
  }
}

}  // namespace
}  // namespace warpsight
