#include "analysis/roofline/op_cost.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight {
namespace {

constexpr double kFp32 = 4;
constexpr double kBf16 = 2;
constexpr double kInt64 = 8;

// One call as PyTorch records it, and what it must cost. Texts use ' for ".
struct Case {
  std::string name;
  std::string dims, types, values;
  double flops;
  double bytes;
  double matrix_flops = 0;
};

std::string Quoted(std::string text) {
  for (char& c : text) c = c == '\'' ? '"' : c;
  return text;
}

// The inputs of one call, from their texts.
class Inputs {
 public:
  Inputs(std::string_view dims, std::string_view types, std::string_view values)
      : inputs_(std::array{RecordedInputs{dims, types, "", values}}) {}

  // Null where the shapes cannot be read.
  const Signature* get() const { return inputs_.Of(SignatureId{0}); }
  const Signature& operator*() const { return *get(); }

 private:
  OpInputs inputs_;
};

OpCost CostOf(const std::string& name, const std::string& dims, const std::string& types,
              const std::string& values, double list_element_bytes = kMissingReal) {
  const OpRule* rule = FindOpRule(name);
  if (rule == nullptr) return {};
  const std::string texts[] = {Quoted(dims), Quoted(types), Quoted(values)};
  const Inputs inputs(texts[0], texts[1], texts[2]);
  CostInput input;
  input.own = inputs.get();
  input.list_element_bytes = list_element_bytes;
  return EstimateCost(*rule, input);
}

class OpCostTest : public ::testing::TestWithParam<Case> {};

TEST_P(OpCostTest, ByHand) {
  const Case& c = GetParam();
  const OpCost cost = CostOf(c.name, c.dims, c.types, c.values, kFp32);
  ASSERT_TRUE(cost.known()) << ToString(cost.gap);
  EXPECT_DOUBLE_EQ(cost.flops, c.flops);
  EXPECT_DOUBLE_EQ(cost.bytes, c.bytes);
  EXPECT_DOUBLE_EQ(cost.matrix_flops, c.matrix_flops);
}

std::string TestName(const ::testing::TestParamInfo<Case>& info) {
  std::string name = std::to_string(info.index) + "_";
  for (const char c : info.param.name) name += std::isalnum(c) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    MatrixProducts, OpCostTest,
    ::testing::Values(
        // [64, 32] x [32, 16]: 2*64*16*32; a, b read, out written
        Case{"aten::mm", "[[64, 32], [32, 16]]", "['c10::BFloat16', 'c10::BFloat16']", "['', '']",
             2. * 64 * 16 * 32, kBf16*(64 * 32 + 32 * 16 + 64 * 16), 2. * 64 * 16 * 32},
        // The compiler's calls name the output too; it is not read.
        Case{"aten::mm", "[[64,32],[32,16],[64,16]]", "['float','float','float']", "['','','']",
             2. * 64 * 16 * 32, kFp32*(64 * 32 + 32 * 16 + 64 * 16), 2. * 64 * 16 * 32},
        // A bias of 16 besides.
        Case{"aten::addmm", "[[16],[64,32],[32,16],[],[]]",
             "['float','float','float','Scalar','Scalar']", "['','','','1','1']", 2. * 64 * 16 * 32,
             kFp32*(16 + 64 * 32 + 32 * 16 + 64 * 16), 2. * 64 * 16 * 32},
        // Rows are 8*128; the weight is [out, in].
        Case{"aten::linear", "[[8,128,32],[16,32],[16]]", "['float','float','float']", "['','','']",
             2. * 8 * 128 * 16 * 32, kFp32*(8 * 128 * 32 + 16 * 32 + 16 + 8 * 128 * 16),
             2. * 8 * 128 * 16 * 32},
        Case{"aten::bmm", "[[4,8,16],[4,16,32]]", "['float','float']", "['','']",
             2. * 4 * 8 * 32 * 16, kFp32*(4 * 8 * 16 + 4 * 16 * 32 + 4 * 8 * 32),
             2. * 4 * 8 * 32 * 16},
        Case{"aten::baddbmm", "[[4,8,32],[4,8,16],[4,16,32],[],[]]",
             "['float','float','float','Scalar','Scalar']", "['','','','1','1']",
             2. * 4 * 8 * 32 * 16, kFp32*(4 * 8 * 32 + 4 * 8 * 16 + 4 * 16 * 32 + 4 * 8 * 32),
             2. * 4 * 8 * 32 * 16},
        // The four products are added into one [8, 32].
        Case{"aten::addbmm", "[[8,32],[4,8,16],[4,16,32],[],[]]",
             "['float','float','float','Scalar','Scalar']", "['','','','1','1']",
             2. * 4 * 8 * 32 * 16, kFp32*(8 * 32 + 4 * 8 * 16 + 4 * 16 * 32 + 8 * 32),
             2. * 4 * 8 * 32 * 16},
        // [2, 1, 8, 16] x [5, 16, 4]: 10 products of 8x16x4
        Case{"aten::matmul", "[[2,1,8,16],[5,16,4]]", "['float','float']", "['','']",
             2. * 10 * 8 * 4 * 16, kFp32*(2 * 8 * 16 + 5 * 16 * 4 + 10 * 8 * 4),
             2. * 10 * 8 * 4 * 16},
        // A vector against a matrix.
        Case{"aten::mv", "[[64,32],[32]]", "['float','float']", "['','']", 2. * 64 * 32,
             kFp32*(64 * 32 + 32 + 64), 2. * 64 * 32},
        // fp8 in, bf16 (15) out.
        Case{"aten::_scaled_mm", "[[64,32],[32,16],[],[],[],[],[],[]]",
             "['c10::Float8_e4m3fn','c10::Float8_e4m3fn','float','float','','','Scalar','Scalar']",
             "['','','','','','','15','False']", 2. * 64 * 16 * 32,
             64 * 32 + 32 * 16 + kBf16 * 64 * 16, 2. * 64 * 16 * 32}),
    TestName);

// ResNet-50's first convolution on two images: 3 -> 64 channels, 7x7, stride 2, padding 3.
constexpr double kStem = 2. * 2 * 64 * 112 * 112 * 3 * 7 * 7;
constexpr double kStemIn = 2. * 3 * 224 * 224;
constexpr double kStemWeight = 64. * 3 * 7 * 7;
constexpr double kStemOut = 2. * 64 * 112 * 112;

INSTANTIATE_TEST_SUITE_P(
    Convolutions, OpCostTest,
    ::testing::Values(
        Case{"aten::cudnn_convolution", "[[2,3,224,224],[64,3,7,7],[],[],[],[],[],[],[]]",
             "['c10::Half','c10::Half','ScalarList','ScalarList','ScalarList','Scalar','Scalar',"
             "'Scalar','Scalar']",
             "['','','[3, 3]','[2, 2]','[1, 1]','1','False','False','True']", kStem,
             2 * (kStemIn + kStemWeight + kStemOut), kStem},
        Case{"aten::convolution", "[[2,3,224,224],[64,3,7,7],[],[],[],[],[],[],[]]",
             "['float','float','','ScalarList','ScalarList','ScalarList','Scalar','ScalarList',"
             "'Scalar']",
             "['','','','[2, 2]','[3, 3]','[1, 1]','False','[0, 0]','1']", kStem,
             kFp32*(kStemIn + kStemWeight + kStemOut), kStem},
        // Two gradients: of the input and of the weight.
        Case{"aten::convolution_backward",
             "[[2,64,112,112],[2,3,224,224],[64,3,7,7],[],[],[],[],[],[],[],[]]",
             "['float','float','float','ScalarList','ScalarList','ScalarList','ScalarList',"
             "'Scalar','ScalarList','Scalar','ScalarList']",
             "['','','','[0]','[2, 2]','[3, 3]','[1, 1]','False','[0, 0]','1',"
             "'[True, True, False]']",
             2 * kStem, kFp32*(kStemOut + 2 * kStemIn + 2 * kStemWeight), 2 * kStem},
        // The first layer of a net needs no gradient of its input.
        Case{"aten::convolution_backward",
             "[[2,64,112,112],[2,3,224,224],[64,3,7,7],[],[],[],[],[],[],[],[]]",
             "['float','float','float','ScalarList','ScalarList','ScalarList','ScalarList',"
             "'Scalar','ScalarList','Scalar','ScalarList']",
             "['','','','[0]','[2, 2]','[3, 3]','[1, 1]','False','[0, 0]','1',"
             "'[False, True, False]']",
             kStem, kFp32*(kStemOut + kStemIn + kStemWeight), kStem},
        // Depthwise: 32 groups of one channel, 3x3.
        Case{"aten::conv2d", "[[1,32,56,56],[32,1,3,3],[32],[],[],[],[]]",
             "['float','float','float','ScalarList','ScalarList','ScalarList','Scalar']",
             "['','','','[1, 1]','[1, 1]','[1, 1]','32']", 2. * 32 * 56 * 56 * 9,
             kFp32*(32 * 56 * 56 + 32 * 9 + 32 + 32 * 56 * 56), 2. * 32 * 56 * 56 * 9},
        // 1d with dilation 2: reach 5, 100 - 5 + 1 = 96 positions.
        Case{"aten::conv1d", "[[4,8,100],[16,8,3],[],[],[],[],[]]",
             "['float','float','','ScalarList','ScalarList','ScalarList','Scalar']",
             "['','','','[1]','[0]','[2]','1']", 2. * 4 * 16 * 96 * 8 * 3,
             kFp32*(4 * 8 * 100 + 16 * 8 * 3 + 4 * 16 * 96), 2. * 4 * 16 * 96 * 8 * 3},
        // Transposed, 4x4, stride 2, padding 1: 16 -> (16-1)*2 - 2 + 3 + 1 = 32; every input
        // position meets the filter.
        Case{"aten::convolution", "[[2,64,16,16],[64,32,4,4],[],[],[],[],[],[],[]]",
             "['float','float','','ScalarList','ScalarList','ScalarList','Scalar','ScalarList',"
             "'Scalar']",
             "['','','','[2, 2]','[1, 1]','[1, 1]','True','[0, 0]','1']",
             2. * 2 * 64 * 16 * 16 * 32 * 16,
             kFp32*(2 * 64 * 16 * 16 + 64 * 32 * 16 + 2 * 32 * 32 * 32),
             2. * 2 * 64 * 16 * 16 * 32 * 16},
        Case{"aten::conv3d", "[[1,4,8,8,8],[6,4,3,3,3],[],[],[],[],[]]",
             "['float','float','','ScalarList','ScalarList','ScalarList','Scalar']",
             "['','','','[1, 1, 1]','[1, 1, 1]','[1, 1, 1]','1']", 2. * 6 * 512 * 4 * 27,
             kFp32*(4 * 512 + 6 * 4 * 27 + 6 * 512), 2. * 6 * 512 * 4 * 27}),
    TestName);

// Two sequences of 128 with 4 heads of 64, as GPT-2's: 4*B*H*T*T*D.
constexpr double kAttention = 4. * 2 * 4 * 128 * 128 * 64;
constexpr double kHeads = 2. * 4 * 128 * 64;  // elements of q, k, v or the output

INSTANTIATE_TEST_SUITE_P(
    Attention, OpCostTest,
    ::testing::Values(
        Case{"aten::_scaled_dot_product_flash_attention",
             "[[2,4,128,64],[2,4,128,64],[2,4,128,64],[],[],[],[]]",
             "['c10::BFloat16','c10::BFloat16','c10::BFloat16','Scalar','Scalar','Scalar','']",
             "['','','','0.','False','False','']", kAttention, kBf16 * 4 * kHeads, kAttention},
        // A causal mask leaves half of the pairs.
        Case{"aten::_scaled_dot_product_cudnn_attention",
             "[[2,4,128,64],[2,4,128,64],[2,4,128,64],[],[],[],[],[],[]]",
             "['c10::BFloat16','c10::BFloat16','c10::BFloat16','','Scalar','Scalar','Scalar',"
             "'Scalar','']",
             "['','','','','True','0.','True','False','']", kAttention / 2, kBf16 * 4 * kHeads,
             kAttention / 2},
        // Heads after time; mask kind 1 is causal.
        Case{"aten::_efficient_attention_forward",
             "[[2,128,4,64],[2,128,4,64],[2,128,4,64],[],[],[],[],[],[],[],[]]",
             "['float','float','float','','','','Scalar','Scalar','Scalar','Scalar','Scalar']",
             "['','','','','','','128','128','0.','1','True']", kAttention / 2, kFp32 * 4 * kHeads,
             kAttention / 2},
        // Backward: 2.5 times; reads q, k, v, output and its gradient, writes three gradients.
        Case{"aten::_scaled_dot_product_flash_attention_backward",
             "[[2,4,128,64],[2,4,128,64],[2,4,128,64],[2,4,128,64],[2,4,128,64],[2,4,128],[],[],[],"
             "[],[],[],[],[],[]]",
             "['c10::BFloat16','c10::BFloat16','c10::BFloat16','c10::BFloat16','c10::BFloat16',"
             "'float','','','Scalar','Scalar','Scalar','Scalar','long','long','']",
             "['','','','','','','','','128','128','0.','False','','','']", 2.5 * kAttention,
             kBf16 * 8 * kHeads, 2.5 * kAttention},
        Case{"flash_attn::_flash_attn_forward", "[[2,128,4,64],[2,128,4,64],[2,128,4,64],[],[],[]]",
             "['c10::Half','c10::Half','c10::Half','Scalar','Scalar','Scalar']",
             "['','','','0.','0.125','True']", kAttention / 2, 2 * 4 * kHeads, kAttention / 2},
        // One new token against a cache of 128: the mask hides nothing but half a pair.
        Case{"aten::scaled_dot_product_attention",
             "[[2,4,1,64],[2,4,128,64],[2,4,128,64],[],[],[],[],[]]",
             "['float','float','float','','Scalar','Scalar','','Scalar']",
             "['','','','','0.','True','','False']", kAttention / 128 * (1 - 1. / 256),
             kFp32*(2 * kHeads / 128 + 2 * kHeads), kAttention / 128 * (1 - 1. / 256)}),
    TestName);

// A bidirectional LSTM of 2 layers on 10 steps of 3 samples: 20 inputs, 30 hidden. Per step and
// sample: 2*4*30*(20+30) in the first layer, 2*4*30*(60+30) in the second, both directions.
constexpr double kLstm = 10. * 3 * 2 * (2 * 4 * 30 * 50 + 2 * 4 * 30 * 90);
constexpr double kLstmWeights = 2. * (4 * 30 * (50 + 2) + 4 * 30 * (90 + 2));
constexpr double kLstmBytes = kFp32 * (10 * 3 * 20 + 10 * 3 * 60 + kLstmWeights);

INSTANTIATE_TEST_SUITE_P(
    Recurrent, OpCostTest,
    ::testing::Values(
        Case{"aten::_cudnn_rnn",
             "[[10,3,20],[],[],[100],[4,3,30],[4,3,30],[],[],[],[],[],[],[],[],[],[]]",
             "['float','TensorList','Scalar','float','float','float','Scalar','Scalar','Scalar',"
             "'Scalar','Scalar','Scalar','Scalar','Scalar','ScalarList','']",
             "['','','4','','','','2','30','0','2','False','0.','True','True','[]','']", kLstm,
             kLstmBytes, kLstm},
        Case{"aten::_cudnn_rnn_backward",
             "[[10,3,20],[],[],[100],[4,3,30],[4,3,30],[10,3,60],[10,3,60],[],[],[],[],[],[],[],[],"
             "[],[],[],[],[],[]]",
             "['float','TensorList','Scalar','float','float','float','float','float','','',"
             "'Scalar','Scalar','Scalar','Scalar','Scalar','Scalar','Scalar','Scalar',"
             "'ScalarList','','','ScalarList']",
             "['','','4','','','','','','','','2','30','0','2','False','0.','True','True','[]','',"
             "'','']",
             2 * kLstm, 2 * kLstmBytes, 2 * kLstm},
        Case{"aten::lstm", "[[10,3,20],[[4,3,30],[4,3,30]],[],[],[],[],[],[],[]]",
             "['float','TensorList','TensorList','Scalar','Scalar','Scalar','Scalar','Scalar',"
             "'Scalar']",
             "['','','','True','2','0.','True','True','False']", kLstm, kLstmBytes, kLstm},
        // The pointwise half of a cell of 16 hidden for 8 samples.
        Case{"aten::_thnn_fused_lstm_cell", "[[8,64],[8,64],[8,16],[64],[64]]",
             "['float','float','float','float','float']", "['','','','','']", 5. * 8 * 64,
             kFp32*(2 * 8 * 64 + 8 * 16 + 2 * 64 + 8 * 64 + 2 * 8 * 16)}),
    TestName);

constexpr double kRows = 8. * 128 * 768;  // elements of a hidden state

INSTANTIATE_TEST_SUITE_P(
    NormalizationAndSoftmax, OpCostTest,
    ::testing::Values(
        Case{"aten::native_layer_norm", "[[8,128,768],[],[768],[768],[]]",
             "['float','ScalarList','float','float','Scalar']", "['','[768]','','','1e-05']",
             8 * kRows, kFp32*(2 * kRows + 2 * 768)},
        // Gradient, input, mean, rstd, weight and bias read; one gradient written.
        Case{"aten::native_layer_norm_backward",
             "[[8,128,768],[8,128,768],[],[8,128,1],[8,128,1],[768],[768],[]]",
             "['float','float','ScalarList','float','float','float','float','ScalarList']",
             "['','','[768]','','','','','[True, True, True]']", 14 * kRows,
             kFp32*(3 * kRows + 2 * 8 * 128 + 2 * 768)},
        Case{"aten::cudnn_batch_norm", "[[2,64,112,112],[64],[64],[64],[64],[],[],[]]",
             "['c10::Half','float','float','float','float','Scalar','Scalar','Scalar']",
             "['','','','','','True','0.1','1e-05']", 8. * 2 * 64 * 112 * 112,
             2. * 2 * 2 * 64 * 112 * 112 + kFp32 * 4 * 64},
        Case{"aten::native_group_norm", "[[2,32,8,8],[32],[32],[],[],[],[],[]]",
             "['float','float','float','Scalar','Scalar','Scalar','Scalar','Scalar']",
             "['','','','2','32','64','8','1e-05']", 8. * 2 * 32 * 64,
             kFp32*(2 * 2 * 32 * 64 + 2 * 32)},
        Case{"aten::rms_norm", "[[8,128,768],[],[768],[]]", "['float','ScalarList','float','']",
             "['','[768]','','']", 4 * kRows, kFp32*(2 * kRows + 768)},
        Case{"aten::_softmax", "[[8,12,128,128],[],[]]", "['float','Scalar','Scalar']",
             "['','-1','False']", 5. * 8 * 12 * 128 * 128, kFp32 * 2 * 8 * 12 * 128 * 128},
        // half_to_float: bf16 in, fp32 out.
        Case{"aten::_log_softmax", "[[64,1000],[],[]]", "['c10::BFloat16','Scalar','Scalar']",
             "['','1','True']", 5. * 64 * 1000, (kBf16 + kFp32) * 64 * 1000},
        Case{"aten::_log_softmax_backward_data", "[[64,1000],[64,1000],[],[]]",
             "['float','float','Scalar','Scalar']", "['','','1','6']", 4. * 64 * 1000,
             kFp32 * 3 * 64 * 1000}),
    TestName);

INSTANTIATE_TEST_SUITE_P(
    Elementwise, OpCostTest,
    ::testing::Values(
        // [8, 128, 768] + [128, 768]
        Case{"aten::add", "[[8,128,768],[128,768],[]]", "['float','float','Scalar']", "['','','1']",
             kRows, kFp32*(2 * kRows + kRows / 8)},
        // In place: read both, write one.
        Case{"aten::add_", "[[8,128,768],[8,128,768],[]]", "['float','float','Scalar']",
             "['','','1']", kRows, kFp32 * 3 * kRows},
        // A number counts as a tensor of one, and does not make the result fp64.
        Case{"aten::mul", "[[8,128,768],[]]", "['c10::BFloat16','double']", "['','']", kRows,
             kBf16 * 2 * kRows + 8},
        // The third tensor is where the result goes.
        Case{"aten::clamp_min", "[[64,64],[],[64,64]]", "['float','Scalar','float']", "['','0','']",
             64. * 64, kFp32 * 2 * 64 * 64},
        Case{"aten::gelu", "[[8,128,3072],[]]", "['c10::BFloat16','']", "['','']", 4 * kRows,
             kBf16 * 2 * 4 * kRows},
        Case{"aten::gelu_backward", "[[8,128,3072],[8,128,3072],[]]",
             "['c10::BFloat16','c10::BFloat16','']", "['','','']", 4 * kRows,
             kBf16 * 3 * 4 * kRows},
        Case{"aten::where", "[[64,64],[64,64],[]]", "['bool','float','float']", "['','','']",
             64. * 64, (1 + 2 * kFp32) * 64 * 64 + kFp32},
        // One byte per result.
        Case{"aten::gt", "[[64,64],[]]", "['float','Scalar']", "['','0']", 64. * 64,
             (kFp32 + 1) * 64 * 64},
        Case{"aten::addcmul_", "[[100],[100],[100],[]]", "['float','float','float','Scalar']",
             "['','','','1']", 300, kFp32 * 4 * 100},
        Case{"aten::fill_", "[[100],[]]", "['float','Scalar']", "['','0']", 0, kFp32 * 100},
        // A mask of one byte is written.
        Case{"aten::native_dropout", "[[100],[],[]]", "['float','Scalar','Scalar']",
             "['','0.1','True']", 200, 2 * kFp32 * 100 + 100},
        Case{"aten::copy_", "[[100],[100],[]]", "['c10::BFloat16','float','Scalar']",
             "['','','False']", 0, (kBf16 + kFp32) * 100},
        // 15 is bf16.
        Case{"aten::_to_copy", "[[100],[],[],[],[],[],[]]",
             "['float','Scalar','Scalar','','','Scalar','']", "['','15','0','','','False','']", 0,
             (kFp32 + kBf16) * 100},
        Case{"aten::clone", "[[100],[]]", "['float','Scalar']", "['','0']", 0, 2 * kFp32 * 100},
        Case{"aten::cat", "[[[3,100],[5,100]],[]]", "['TensorList','Scalar']", "['','0']", 0,
             2 * kFp32 * 800},
        Case{"aten::view", "[[8,128,768],[]]", "['float','ScalarList']", "['','[1024, 768]']", 0,
             0}),
    TestName);

INSTANTIATE_TEST_SUITE_P(
    Others, OpCostTest,
    ::testing::Values(
        // Columns of a [1024, 768]: 768 results.
        Case{"aten::sum", "[[1024,768],[],[],[]]", "['float','ScalarList','Scalar','']",
             "['','[0]','True','']", 1024. * 768, kFp32*(1024 * 768 + 768)},
        Case{"aten::mean", "[[1024],[]]", "['float','']", "['','']", 1024, kFp32 * 1025},
        // Positions are int64.
        Case{"aten::argmax", "[[32,1000],[],[]]", "['float','Scalar','Scalar']", "['','1','False']",
             32. * 1000, kFp32 * 32 * 1000 + kInt64 * 32},
        // Two numbers of the same shape: elementwise.
        Case{"aten::max", "[[100],[100]]", "['float','float']", "['','']", 100, kFp32 * 300},
        Case{"aten::linalg_vector_norm", "[[1000],[],[],[],[]]",
             "['float','Scalar','','Scalar','']", "['','2','','False','']", 2000, kFp32 * 1001},
        // 1024 rows of 768 are read and written.
        Case{"aten::embedding", "[[50304,768],[8,128],[],[],[]]",
             "['float','long int','Scalar','Scalar','Scalar']", "['','','-1','False','False']", 0,
             kInt64 * 1024 + 2 * kFp32 * 1024 * 768},
        Case{"aten::embedding_dense_backward", "[[8,128,768],[8,128],[],[],[]]",
             "['float','long int','Scalar','Scalar','Scalar']", "['','','50304','-1','False']",
             kRows, kInt64 * 1024 + 2 * kFp32* kRows},
        Case{"aten::index_select", "[[50304,768],[],[1024]]", "['float','Scalar','long int']",
             "['','0','']", 0, kInt64 * 1024 + 2 * kFp32 * 1024 * 768},
        Case{"aten::gather", "[[64,1000],[],[64,5],[]]", "['float','Scalar','long int','Scalar']",
             "['','1','','False']", 0, (kInt64 + 2 * kFp32) * 64 * 5},
        Case{"aten::scatter_add_", "[[64,1000],[],[64,5],[64,5]]",
             "['float','Scalar','long int','float']", "['','1','','']", 64. * 5,
             (kInt64 + 3 * kFp32) * 64 * 5},
        // 3x3, stride 2, padding 1: 112 -> 56; values and positions are written.
        Case{"aten::max_pool2d_with_indices", "[[2,64,112,112],[],[],[],[],[]]",
             "['c10::Half','ScalarList','ScalarList','ScalarList','ScalarList','Scalar']",
             "['','[3, 3]','[2, 2]','[1, 1]','[1, 1]','False']", 9. * 2 * 64 * 56 * 56,
             2. * 2 * 64 * 112 * 112 + (2 + kInt64) * 2 * 64 * 56 * 56},
        Case{"aten::max_pool2d_with_indices_backward",
             "[[2,64,56,56],[2,64,112,112],[],[],[],[],[],[2,64,56,56]]",
             "['c10::Half','c10::Half','ScalarList','ScalarList','ScalarList','ScalarList',"
             "'Scalar','long int']",
             "['','','[3, 3]','[2, 2]','[1, 1]','[1, 1]','False','']", 2. * 64 * 56 * 56,
             2. * 2 * 64 * 112 * 112 + (2 + kInt64) * 2 * 64 * 56 * 56},
        // 7x7 with windows of 3, stride 2, rounded up: 3.
        Case{"aten::avg_pool2d", "[[1,8,7,7],[],[],[],[],[],[]]",
             "['float','ScalarList','ScalarList','ScalarList','Scalar','Scalar','']",
             "['','[3, 3]','[2, 2]','[0, 0]','True','True','']", 9. * 8 * 9,
             kFp32*(8 * 49 + 8 * 9)},
        Case{"aten::adaptive_avg_pool2d", "[[64,2048,7,7],[]]", "['float','ScalarList']",
             "['','[1, 1]']", 64. * 2048 * 49, kFp32*(64 * 2048 * 49 + 64 * 2048)},
        // One value per target.
        Case{"aten::nll_loss_forward", "[[8192,50304],[8192],[],[],[]]",
             "['float','long int','','Scalar','Scalar']", "['','','','1','-100']", 8192,
             (kFp32 + kInt64) * 8192},
        Case{"aten::nll_loss_backward", "[[],[8192,50304],[8192],[],[],[],[]]",
             "['float','float','long int','','Scalar','Scalar','float']",
             "['','','','','1','-100','']", 8192, (kFp32 + kInt64) * 8192},
        Case{"aten::mse_loss", "[[64,10],[64,10],[]]", "['float','float','Scalar']", "['','','1']",
             3. * 640, kFp32*(2 * 640 + 1)},
        // Parameters, gradients, two averages (and no maxima) read, three of them written; the
        // steps are read too.
        Case{"aten::_fused_adamw_",
             "[[[100],[200]],[[100],[200]],[[100],[200]],[[100],[200]],[],[[],[]],[],[],[],[],[],"
             "[],[],[],[]]",
             "['TensorList','TensorList','TensorList','TensorList','TensorList','TensorList',"
             "'Scalar','Scalar','Scalar','Scalar','Scalar','Scalar','Scalar','','']",
             "['','','','','','','0.1','0.9','0.9','0.1','1e-8','False','False','','']", 12. * 300,
             kFp32*(7 * 300 + 2)},
        Case{"aten::_foreach_add_", "[[[100],[200]],[[100],[200]],[]]",
             "['TensorList','TensorList','Scalar']", "['','','1']", 300, kFp32 * 3 * 300}),
    TestName);

TEST(OpRulesTest, NotAvailableRatherThanZero) {
  // No formula.
  EXPECT_EQ(FindOpRule("aten::some_new_op"), nullptr);
  EXPECT_EQ(FindOpRule("aten::einsum"), nullptr);
  EXPECT_EQ(FindOpRule(""), nullptr);
  EXPECT_EQ(FindOpRule("aten::"), nullptr);
  EXPECT_EQ(FindOpRule("_"), nullptr);
  // No shapes.
  EXPECT_EQ(CostOf("aten::mm", "", "", "").gap, CostGap::kNoShapes);
  EXPECT_EQ(CostOf("aten::mm", "[[],[]]", "['','']", "").gap, CostGap::kNoShapes);
  // Shapes that cannot be multiplied.
  EXPECT_EQ(CostOf("aten::mm", "[[2,3],[4,5]]", "['float','float']", "").gap, CostGap::kNoShapes);
  // Old profilers recorded no scalars: neither strides nor masks are known.
  EXPECT_EQ(CostOf("aten::conv2d", "[[1,3,8,8],[4,3,3,3],[],[],[],[],[]]",
                   "['float','float','','','','','']", "")
                .gap,
            CostGap::kNoValues);
  EXPECT_EQ(
      CostOf("aten::scaled_dot_product_attention", "[[2,4,8,4],[2,4,8,4],[2,4,8,4],[],[],[],[],[]]",
             "['float','float','float']", "")
          .gap,
      CostGap::kNoValues);
  // A list that was too long to be recorded, and one whose element type nothing tells.
  EXPECT_EQ(CostOf("aten::_fused_adamw_", "[[],[],[],[],[],[]]", "['TensorList']", "").gap,
            CostGap::kNoShapes);
  EXPECT_EQ(CostOf("aten::cat", "[[[3],[4]],[]]", "['TensorList','Scalar']", "").gap,
            CostGap::kNoShapes);
  // Sequences packed into one: their lengths are not recorded.
  EXPECT_EQ(CostOf("flash_attn::_flash_attn_forward", "[[100,4,64],[100,4,64],[100,4,64]]",
                   "['float','float','float']", "")
                .gap,
            CostGap::kNoShapes);
}

TEST(OpRulesTest, WithoutTypesOnlyFlopsAreKnown) {
  const OpCost cost = CostOf("aten::mm", "[[64,32],[32,16]]", "", "");
  ASSERT_TRUE(cost.known());
  EXPECT_DOUBLE_EQ(cost.flops, 2. * 64 * 32 * 16);
  EXPECT_LT(cost.bytes, 0);
  EXPECT_EQ(cost.precision, Precision::kUnknown);
}

TEST(OpRulesTest, FusedKernelsOfTheCompilerMoveTheirArguments) {
  const OpCost cost = CostOf("triton_poi_fused__to_copy_3", "[[2304,768],[2304,768],[]]",
                             "['float','c10::BFloat16','Scalar']", "['','','1769472']");
  ASSERT_TRUE(cost.known());
  EXPECT_DOUBLE_EQ(cost.bytes, (kFp32 + kBf16) * 2304 * 768);
  EXPECT_LT(cost.flops, 0);
  // Those that pick rows do not.
  EXPECT_EQ(FindOpRule("triton_poi_fused_embedding_0"), nullptr);
}

TEST(OpRulesTest, BackwardNodesOfCustomFunctionsUseTheForwardInputs) {
  const OpRule* rule = FindOpRule("FlashAttnFuncBackward");
  ASSERT_NE(rule, nullptr);
  ASSERT_TRUE(UsesForward(*rule));
  const Inputs own("[[2,128,4,64]]", R"(["c10::Half"])", R"([""])");
  const Inputs forward("[[2,128,4,64],[2,128,4,64],[2,128,4,64],[],[],[]]",
                       R"(["c10::Half","c10::Half","c10::Half","Scalar","Scalar","Scalar"])",
                       R"(["","","","0.","0.125","False"])");
  CostInput input;
  input.own = own.get();
  EXPECT_EQ(EstimateCost(*rule, input).gap, CostGap::kNoShapes);
  input.forward = forward.get();
  EXPECT_DOUBLE_EQ(EstimateCost(*rule, input).flops, 2.5 * kAttention);
}

TEST(OpRulesTest, OldWeightGradientsUseTheForwardWeight) {
  const OpRule* rule = FindOpRule("aten::cudnn_convolution_backward_weight");
  ASSERT_NE(rule, nullptr);
  const Inputs own("[[],[2,64,112,112],[2,3,224,224]]", R"(["GenericList","float","float"])", "");
  const Inputs forward("[[2,3,224,224],[64,3,7,7]]", R"(["float","float"])", "");
  CostInput input;
  input.own = own.get();
  input.forward = forward.get();
  const OpCost cost = EstimateCost(*rule, input);
  EXPECT_DOUBLE_EQ(cost.flops, kStem);
  EXPECT_DOUBLE_EQ(cost.bytes, kFp32 * (kStemOut + kStemIn + kStemWeight));
}

TEST(OpRulesTest, ShapesOfMatrixProductsAndConvolutions) {
  const Inputs product("[[16],[64,32],[32,16],[],[]]", R"(["float","c10::Half","c10::Half","",""])",
                       "");
  const auto gemm = GemmShapeOf(*FindOpRule("aten::addmm"), *product);
  ASSERT_TRUE(gemm);
  EXPECT_EQ(gemm->m, 64);
  EXPECT_EQ(gemm->n, 16);
  EXPECT_EQ(gemm->k, 32);
  EXPECT_EQ(gemm->a, ElementType::kFp16);
  EXPECT_FALSE(ConvShapeOf(*FindOpRule("aten::addmm"), *product));

  const Inputs convolution("[[8,64,56,56],[128,32,3,3],[],[],[],[],[]]",
                           R"(["c10::Half","c10::Half","","","","",""])",
                           R"(["","","","[2, 2]","[1, 1]","[1, 1]","2"])");
  const auto conv = ConvShapeOf(*FindOpRule("aten::conv2d"), *convolution);
  ASSERT_TRUE(conv);
  EXPECT_EQ(conv->in_channels, 64);
  EXPECT_EQ(conv->out_channels, 128);
  EXPECT_EQ(conv->groups, 2);
  EXPECT_EQ(conv->output, (std::vector<int64_t>{28, 28}));
}

// Shapes as vLLM and SGLang record them.
INSTANTIATE_TEST_SUITE_P(
    Serving, OpCostTest,
    ::testing::Values(
        // 256 rows of 128: the output is given, or made.
        Case{"aiter::rmsnorm", "[[256,128],[256,128],[128],[]]",
             "['c10::BFloat16','c10::BFloat16','c10::BFloat16','Scalar']", "['','','','1e-06']",
             4.0 * 256 * 128, kBf16*(2 * 256 * 128 + 128)},
        Case{"aten::_fused_rms_norm", "[[256,128],[],[128],[]]",
             "['c10::BFloat16','ScalarList','c10::BFloat16','Scalar']", "['','[128]','','1e-06']",
             4.0 * 256 * 128, kBf16*(2 * 256 * 128 + 128)},
        // In place, and into other tensors: as much is moved.
        Case{"_C::fused_add_rms_norm", "[[32,4096],[32,4096],[4096],[]]",
             "['c10::BFloat16','c10::BFloat16','c10::BFloat16','Scalar']", "['','','','1e-06']",
             5.0 * 32 * 4096, kBf16*(4 * 32 * 4096 + 4096)},
        Case{"aiter::add_rmsnorm", "[[32,4096],[32,4096],[32,4096],[32,4096],[4096],[]]",
             "['c10::BFloat16','c10::BFloat16','c10::BFloat16','c10::BFloat16','c10::BFloat16',"
             "'Scalar']",
             "['','','','','','1e-06']", 5.0 * 32 * 4096, kBf16*(4 * 32 * 4096 + 4096)},
        Case{"sgl_kernel::rotary_embedding", "[[32],[32,4096],[32,1024],[],[41216,128],[]]",
             "['long int','c10::BFloat16','c10::BFloat16','Scalar','c10::BFloat16','Scalar']",
             "['','','','128','','True']", 3.0 * 32 * 5120,
             kBf16 * 2 * 32 * 5120 + kInt64 * 32 + kBf16 * 32 * 128},
        // Half of each head is turned.
        Case{"_C::rotary_embedding", "[[32],[32,4096],[32,1024],[],[41216,64],[]]",
             "['long int','c10::BFloat16','c10::BFloat16','Scalar','c10::BFloat16','Scalar']",
             "['','','','128','','True']", 3.0 * 32 * 2560,
             kBf16 * 2 * 32 * 2560 + kInt64 * 32 + kBf16 * 32 * 64},
        Case{"sgl_kernel::silu_and_mul", "[[32,12288],[32,24576]]",
             "['c10::BFloat16','c10::BFloat16']", "['','']", 2.0 * 32 * 12288,
             kBf16*(32 * 12288 + 32 * 24576)},
        Case{"vllm::silu_and_mul", "[[32,24576]]", "['c10::BFloat16']", "['']", 2.0 * 32 * 12288,
             kBf16*(32 * 12288 + 32 * 24576)},
        Case{"_C_cache_ops::reshape_and_cache_flash",
             "[[32,8,64],[32,8,64],[224304,32,8,64],[224304,32,8,64],[32],[],[],[]]",
             "['c10::BFloat16','c10::BFloat16','c10::BFloat16','c10::BFloat16','long int','',"
             "'float','float']",
             "['','','','','','','','']", 0, kBf16 * 4 * 32 * 8 * 64},
        // Tokens in groups for each expert, and the gradient of the experts' weights.
        Case{"aten::_grouped_mm", "[[4096,1024],[8,1024,512],[8],[],[]]",
             "['c10::BFloat16','c10::BFloat16','int','','']", "['','','','','']",
             2.0 * 4096 * 1024 * 512, kBf16*(4096.0 * 1024 + 8 * 1024 * 512 + 4096 * 512),
             2.0 * 4096 * 1024 * 512},
        Case{"aten::_grouped_mm", "[[1024,4096],[4096,512],[8],[],[]]",
             "['c10::BFloat16','c10::BFloat16','int','','']", "['','','','','']",
             2.0 * 4096 * 1024 * 512, kBf16*(4096.0 * 1024 + 4096 * 512 + 8 * 1024 * 512),
             2.0 * 4096 * 1024 * 512},
        // Four of 32 experts, of which at most 8 are chosen by two tokens.
        Case{"vllm::inplace_fused_experts", "[[2,256],[32,512,256],[32,256,256],[2,4],[2,4]]",
             "['c10::BFloat16','c10::BFloat16','c10::BFloat16','float','int']", "['','','','','']",
             2.0 * 8 * (512 * 256 + 256 * 256), kBf16*(2 * 2 * 256 + 8.0 * (512 * 256 + 256 * 256)),
             2.0 * 8 * (512 * 256 + 256 * 256)}),
    TestName);

// What vLLM records around a step, and what TraceLens counts of it for a decode of 32 sequences.
TEST(OpRulesTest, PagedAttentionTakesTheLengthsOfTheStep) {
  constexpr std::string_view kDims = "[[32,64,64],[32,8,64],[32,8,64],[32,64,64],[],[],[],[0]]";
  constexpr std::string_view kTypes =
      R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","c10::BFloat16","","","",""])";
  const Inputs inputs(kDims, kTypes, "");
  const OpRule* rule = FindOpRule("vllm::unified_attention_with_output");
  ASSERT_TRUE(rule != nullptr && UsesLengths(*rule));
  CostInput input;
  input.own = inputs.get();
  EXPECT_EQ(EstimateCost(*rule, input).gap, CostGap::kNoLengths);
  const auto lengths = ParseSequenceLengths(
      "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)");
  ASSERT_TRUE(lengths);
  input.lengths = &*lengths;
  const OpCost cost = EstimateCost(*rule, input);
  EXPECT_EQ(cost.flops, 902529024);
  EXPECT_EQ(cost.matrix_flops, cost.flops);
  EXPECT_EQ(cost.bytes, 113340416);
}

TEST(OpRulesTest, PromptsAreCausal) {
  // Two prompts of 100 tokens and one token that follows 49.
  const auto lengths = ParseSequenceLengths(
      "execute_201_context_2(sq200sk200sqsq20000sqsk20000)_generation_1(sq1sk50sqsq1sqsk50)");
  ASSERT_TRUE(lengths);
  EXPECT_EQ(lengths->queries, 201);
  EXPECT_EQ(lengths->keys, 250);
  EXPECT_EQ(lengths->pairs, 10000 + 50);
  for (const char* other :
       {"", "execute_32", "execute_context_1(512)_generation_31(31)", "step[DECODE bs=32]",
        "execute_1_context_0(sq0sk0sqsq0sqsk0)_generation_1(sq1sk5", "execute_1_context_0(sqsk)"}) {
    EXPECT_FALSE(ParseSequenceLengths(other)) << other;
  }
}

TEST(OpRulesTest, PackedExpertsHaveNoKnownShape) {
  const OpCost cost =
      CostOf("vllm::outplace_fused_experts", "[[2,256],[32,512,128],[32,256,128],[2,4],[2,4]]",
             "['c10::BFloat16','unsigned char','unsigned char','float','int']", "['','','','','']");
  EXPECT_EQ(cost.gap, CostGap::kNoShapes);
}

TEST(OpRulesTest, AbsurdShapesNeitherCrashNorOverflow) {
  constexpr std::string_view kHuge = "9223372036854775807";
  const std::string shapes[] = {fmt::format("[{0},{0},{0},{0}]", kHuge), "[0,0,0,0]",
                                fmt::format("[{}]", kHuge), fmt::format("[{0},{0}]", kHuge),
                                fmt::format("[{0},{0},{0}]", kHuge)};
  const std::string numbers[] = {fmt::format("[{0}, {0}]", kHuge),
                                 fmt::format("[-{}]", kHuge),
                                 "[0, 0]",
                                 std::string(kHuge),
                                 "-1",
                                 "nan",
                                 "inf",
                                 "1e300",
                                 "True"};
  for (const char* name : {"aten::mm",
                           "aten::bmm",
                           "aten::matmul",
                           "aten::linear",
                           "aten::conv2d",
                           "aten::convolution",
                           "aten::convolution_backward",
                           "aten::max_pool2d_with_indices",
                           "aten::avg_pool2d",
                           "aten::add",
                           "aten::sum",
                           "aten::embedding",
                           "aten::index_select",
                           "aten::scaled_dot_product_attention",
                           "aten::_cudnn_rnn",
                           "aten::lstm",
                           "aten::adaptive_avg_pool2d",
                           "aten::conv_transpose2d",
                           "aten::_scaled_mm",
                           "aten::_to_copy",
                           "aten::_softmax",
                           "aten::gather",
                           "aten::linalg_vector_norm",
                           "aten::_grouped_mm",
                           "vllm::fused_experts",
                           "_C::rotary_embedding",
                           "_C::fused_add_rms_norm",
                           "_C::silu_and_mul"}) {
    for (const std::string& shape : shapes) {
      const std::string dims = fmt::format("[{0},{0},{0},[],[],[],[],[],[]]", shape);
      for (const std::string& number : numbers) {
        std::string values = "['','',''";
        for (int i = 0; i < 8; ++i) values += fmt::format(",'{}'", number);
        values += "]";
        CostOf(name, dims, "['float','float','float','Scalar','Scalar','Scalar','Scalar']", values);
      }
    }
  }
}

}  // namespace
}  // namespace warpsight
