// The table of ops and their formulas.
#include "analysis/roofline/op_rules.h"

#include <algorithm>

#include "base/text.h"

namespace warpsight {
namespace {

constexpr std::string_view kGemm = "gemm";
constexpr std::string_view kConvolution = "convolution";
constexpr std::string_view kAttention = "attention";
constexpr std::string_view kRecurrent = "recurrent";
constexpr std::string_view kNormalization = "normalization";
constexpr std::string_view kSoftmax = "softmax";
constexpr std::string_view kElementwise = "elementwise";
constexpr std::string_view kReduction = "reduction";
constexpr std::string_view kEmbedding = "embedding";
constexpr std::string_view kPooling = "pooling";
constexpr std::string_view kLoss = "loss";
constexpr std::string_view kOptimizer = "optimizer";
constexpr std::string_view kCopy = "copy";
constexpr std::string_view kIndexing = "indexing";
constexpr std::string_view kView = "view";
constexpr std::string_view kFused = "fused";

// Operations per element, for ops with more than one. They matter little, since all of these ops
// are limited by memory.
constexpr double kLayerNorm = 8;           // mean, variance, normalize, scale and shift
constexpr double kLayerNormBackward = 14;  // the same, and three gradients
constexpr double kBatchNorm = 8;
constexpr double kBatchNormBackward = 14;
constexpr double kRmsNorm = 4;
constexpr double kRmsNormBackward = 10;
constexpr double kRotary = 3;           // two products and a sum
constexpr double kSoftmaxForward = 5;   // largest, subtract, exponential, sum, divide
constexpr double kSoftmaxBackward = 4;  // product, sum, subtract, product
constexpr double kAdam = 12;
constexpr double kSgd = 4;
constexpr double kLstmCell = 5;
constexpr double kIndexBytes = 8;  // bytes of a position that pooling writes

// clang-format off
// Columns: names, family, formula, factor, first, second, dispatches, uses_forward, takes_lists,
// gemm, conv, adds_inner, uses_lengths. The formulas explain the positions.
constexpr OpRule kRules[] = {
    // Matrix products.
    {"mm bmm dot vdot mv", kGemm, GemmCost, 0, 0, 0, false, false, false, MmShape},
    {"addmm baddbmm addmv _addmm_activation", kGemm, GemmCost, 0, 1, 0, false, false, false, MmShape},
    {"addbmm", kGemm, GemmCost, 1, 1, 0, true, false, false, MmShape},
    {"linear", kGemm, GemmCost, 0, 0, 0, true, false, false, LinearShape},
    {"matmul", kGemm, GemmCost, 0, 0, 0, true, false, false, MatmulShape},
    {"_scaled_mm", kGemm, ScaledMmCost, 0, 0, 6, false, false, false, MmShape},
    {"_grouped_mm", kGemm, GroupedMmCost, 0, 2},
    {"_scaled_grouped_mm", kGemm, GroupedMmCost, 0, 4},
    {"inplace_fused_experts outplace_fused_experts fused_experts fused_moe", kGemm, FusedExpertsCost},
    {"_int_mm", kGemm, ScaledMmCost, 0, 0, 0, false, false, false, MmShape},

    // Convolutions. `first` is the layout of the arguments, `second` the position of the groups in
    // a transposed one.
    {"convolution _convolution", kConvolution, ConvolutionCost, 0, 0, 8, true, false, false, nullptr, ConvolutionShape},
    {"convolution_overrideable", kConvolution, ConvolutionCost, 0, 0, 8, false, false, false, nullptr, ConvolutionShape},
    {"conv1d conv2d conv3d", kConvolution, ConvolutionCost, 0, 1, 6, true, false, false, nullptr, ConvolutionShape},
    {"conv_transpose1d conv_transpose2d conv_transpose3d", kConvolution, ConvolutionCost, 0, 2, 6, true, false, false, nullptr, ConvolutionShape},
    {"cudnn_convolution", kConvolution, ConvolutionCost, 0, 3, 5, false, false, false, nullptr, ConvolutionShape},
    {"cudnn_convolution_relu", kConvolution, ConvolutionCost, 0, 1, 6, false, false, false, nullptr, ConvolutionShape},
    {"cudnn_convolution_add_relu", kConvolution, ConvolutionCost, 0, 7, 8, false, false, false, nullptr, ConvolutionShape},
    {"cudnn_convolution_transpose", kConvolution, ConvolutionCost, 0, 4, 6, false, false, false, nullptr, ConvolutionShape},
    {"miopen_convolution miopen_depthwise_convolution", kConvolution, ConvolutionCost, 0, 5, 6, false, false, false, nullptr, ConvolutionShape},
    {"miopen_convolution_transpose", kConvolution, ConvolutionCost, 0, 6, 7, false, false, false, nullptr, ConvolutionShape},
    {"_conv_depthwise2d conv_depthwise3d slow_conv2d_forward _slow_conv2d_forward slow_conv_dilated2d thnn_conv2d slow_conv3d_forward", kConvolution, ConvolutionCost, 0, 8, 0, false, false, false, nullptr, ConvolutionShape},
    {"convolution_backward", kConvolution, ConvolutionBackwardCost, 0, 0, 7, false, false, false, nullptr, ConvolutionBackwardShape},
    {"convolution_backward_overrideable", kConvolution, ConvolutionBackwardCost, 0, 0, 6, false, false, false, nullptr, ConvolutionBackwardShape},
    {"cudnn_convolution_backward miopen_convolution_backward", kConvolution, ConvolutionBackwardCost, 0, 1, 99, true, false, false, nullptr, ConvolutionBackwardShape},
    {"cudnn_convolution_backward_input miopen_convolution_backward_input", kConvolution, ConvolutionInputGradientCost},
    {"cudnn_convolution_backward_weight miopen_convolution_backward_weight", kConvolution, ConvolutionWeightGradientCost, 0, 0, 0, false, true},

    // Attention. `second` is the position of is_causal.
    {"scaled_dot_product_attention", kAttention, AttentionCost, 0, 0, 5, true},
    {"_scaled_dot_product_flash_attention", kAttention, AttentionCost, 0, 0, 4, true},
    {"_scaled_dot_product_fused_attention_overrideable", kAttention, AttentionCost, 0, 0, 5, false},
    {"_scaled_dot_product_efficient_attention _scaled_dot_product_cudnn_attention", kAttention, AttentionCost, 0, 0, 6, true},
    {"_cudnn_attention_forward", kAttention, AttentionCost, 0, 0, 10},
    {"_flash_attention_forward", kAttention, AttentionTimeFirstCost, 0, 0, 8},
    {"_efficient_attention_forward", kAttention, AttentionTimeFirstCost, 0, 0, 9},
    {"_flash_attn_forward FlashAttnFunc", kAttention, AttentionTimeFirstCost, 0, 0, 5, true},
    {"_scaled_dot_product_flash_attention_backward _scaled_dot_product_efficient_attention_backward", kAttention, AttentionBackwardCost, 0, 0, 11, true},
    {"_scaled_dot_product_cudnn_attention_backward", kAttention, AttentionBackwardCost, 0, 0, 14, true},
    {"_cudnn_attention_backward", kAttention, AttentionBackwardCost, 0, 0, 14},
    {"_flash_attention_backward _flash_attn_backward", kAttention, AttentionTimeFirstBackwardCost, 0, 0, 11},
    {"_efficient_attention_backward", kAttention, AttentionTimeFirstBackwardCost, 0, 0, 14},
    {"FlashAttnFuncBackward", kAttention, AttentionThroughForwardCost, 0, 0, 5, true, true},

    // Attention over a paged cache.
    {"unified_attention unified_attention_with_output", kAttention, PagedAttentionCost, 0, 0, 1, false, false, false, nullptr, nullptr, false, true},
    {"paged_attention_v1", kAttention, PagedAttentionCost, 4, 1, 2, false, false, false, nullptr, nullptr, false, true},
    {"paged_attention_v2 _rocm_C::paged_attention", kAttention, PagedAttentionCost, 7, 4, 5, false, false, false, nullptr, nullptr, false, true},
    {"_vllm_fa2_C::varlen_fwd _vllm_fa3_C::fwd", kAttention, PagedAttentionCost, 0, 0, 1, false, false, false, nullptr, nullptr, false, true},

    // Recurrent layers. The pointwise part of a cell is below.
    {"_cudnn_rnn miopen_rnn", kRecurrent, RecurrentCost, 1, 0, 6},
    {"_cudnn_rnn_backward miopen_rnn_backward", kRecurrent, RecurrentCost, 2, 0, 10},
    {"lstm", kRecurrent, RecurrentLayerCost, 4, 0, 0, true},
    {"gru", kRecurrent, RecurrentLayerCost, 3, 0, 0, true},
    {"rnn_tanh rnn_relu", kRecurrent, RecurrentLayerCost, 1, 0, 0, true},
    {"_thnn_fused_lstm_cell _thnn_fused_gru_cell", kRecurrent, LstmCellCost, kLstmCell},

    // Normalization.
    {"layer_norm group_norm", kNormalization, NormalizationCost, kLayerNorm, 0, 0, true},
    {"native_layer_norm native_group_norm", kNormalization, NormalizationCost, kLayerNorm},
    {"native_layer_norm_backward native_group_norm_backward", kNormalization, NormalizationCost, kLayerNormBackward},
    {"batch_norm _batch_norm_impl_index", kNormalization, NormalizationCost, kBatchNorm, 0, 0, true},
    {"cudnn_batch_norm miopen_batch_norm native_batch_norm _native_batch_norm_legit _batch_norm_with_update _native_batch_norm_legit_no_training", kNormalization, NormalizationCost, kBatchNorm},
    {"cudnn_batch_norm_backward miopen_batch_norm_backward native_batch_norm_backward batch_norm_backward", kNormalization, NormalizationCost, kBatchNormBackward},
    {"rms_norm rmsnorm gemma_rmsnorm rmsnorm2d_fwd rmsnorm2d_fwd_ck rocm_aiter_rms_norm rms_norm_static_fp8_quant", kNormalization, RmsNormCost, kRmsNorm, 0, 0, true},
    {"fused_add_rms_norm fused_add_rmsnorm gemma_fused_add_rmsnorm add_rmsnorm rmsnorm2d_fwd_with_add rmsnorm2d_fwd_with_add_ck rocm_aiter_rmsnorm2d_fwd_with_add", kNormalization, AddRmsNormCost, kRmsNorm + 1, 0, 0, true},
    {"_fused_rms_norm", kNormalization, RmsNormCost, kRmsNorm},
    {"_fused_rms_norm_backward", kNormalization, NormalizationCost, kRmsNormBackward},

    // Softmax.
    {"softmax log_softmax", kSoftmax, SoftmaxCost, kSoftmaxForward, 0, 0, true},
    {"_softmax _log_softmax _safe_softmax", kSoftmax, SoftmaxCost, kSoftmaxForward},
    {"_softmax_backward_data _log_softmax_backward_data", kSoftmax, SoftmaxCost, kSoftmaxBackward},

    // One operation per element of the result. `first` is the number of arguments that may be
    // inputs; a tensor after them receives the result.
    {"abs neg exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal square sin cos tan asin acos atan sinh "
     "cosh tanh erf erfc erfinv sigmoid floor ceil round trunc frac sign sgn nan_to_num relu relu6 leaky_relu elu "
     "celu selu gelu silu mish hardtanh hardswish hardsigmoid softplus softshrink threshold logit bitwise_not "
     "tril triu cumsum cumprod flip roll angle conj_physical digamma lgamma i0",
     kElementwise, ElementwiseCost, 1, 1},
    {"add sub mul div rsub true_divide floor_divide remainder fmod pow atan2 maximum minimum fmax fmin "
     "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift copysign hypot heaviside xlogy "
     "polar prelu _prelu_kernel clamp_min clamp_max "
     "threshold_backward gelu_backward silu_backward sigmoid_backward tanh_backward mish_backward "
     "hardtanh_backward hardswish_backward hardsigmoid_backward leaky_relu_backward logit_backward",
     kElementwise, ElementwiseCost, 1, 2},
    {"silu_and_mul gelu_and_mul gelu_tanh_and_mul mul_and_silu fatrelu_and_mul swigluoai_and_mul", kElementwise, GatedActivationCost, 2, 0, 0, true},
    {"rotary_embedding", kElementwise, RotaryCost, kRotary, 0, 0, true},
    {"apply_rope_pos_ids_cos_sin_cache", kElementwise, RotaryToCost, kRotary, 0, 0, true},
    {"masked_fill where lerp clamp clip softplus_backward", kElementwise, ElementwiseCost, 1, 3},
    {"elu_backward", kElementwise, ElementwiseCost, 1, 6},
    {"addcmul addcdiv", kElementwise, ElementwiseCost, 3, 3},
    {"logical_not isnan isinf isfinite isposinf isneginf", kElementwise, ComparisonCost, 1, 1},
    {"eq ne lt le gt ge logical_and logical_or logical_xor isclose", kElementwise, ComparisonCost, 1, 2},
    {"native_dropout native_dropout_backward _fused_dropout _masked_scale", kElementwise, DropoutCost, 2},
    {"fill zero", kElementwise, FillCost, 0},
    {"normal uniform random bernoulli exponential log_normal cauchy geometric", kElementwise, FillCost, 1},

    // Copies.
    {"copy", kCopy, CopyCost, 2},
    {"clone contiguous", kCopy, CopyCost, 1, 0, 0, true},
    {"_to_copy to type_as", kCopy, CastCost, 0, 0, 0, true},
    {"reshape_and_cache reshape_and_cache_flash store_cache", kCopy, CacheWriteCost, 0, 0, 0, true},
    {"cat _cat", kCopy, CatCost, 0, 0, 0, false, false, true},
    {"stack", kCopy, CatCost, 0, 0, 0, true, false, true},

    // Reductions.
    {"sum mean prod amax amin any all nansum nanmean count_nonzero logsumexp", kReduction, ReductionCost, 1},
    {"var std var_mean std_mean", kReduction, ReductionCost, 3},
    {"norm linalg_vector_norm", kReduction, ReductionCost, 2, 2},
    {"argmax argmin", kReduction, ReductionCost, 1, 1, 1},
    {"max min aminmax", kReduction, ReductionCost, 1, 1, 2},

    // Embeddings and other indexed reads and writes.
    {"embedding", kEmbedding, EmbeddingCost, 0, 0, 0, false},
    {"embedding_backward", kEmbedding, EmbeddingBackwardCost, 0, 0, 0, true},
    {"embedding_dense_backward", kEmbedding, EmbeddingBackwardCost, 0, 0, 0, false, false, false, nullptr, nullptr, true},
    {"index_select", kIndexing, IndexSelectCost},
    {"gather", kIndexing, GatherCost},
    {"scatter index_copy index_fill", kIndexing, ScatterCost, 0},
    {"scatter_add scatter_reduce index_add", kIndexing, ScatterCost, 1},

    // Pooling. `second` is the position of ceil_mode.
    {"max_pool1d max_pool1d_with_indices", kPooling, PoolingCost, 0, 0, 5, true},
    {"max_pool2d", kPooling, PoolingCost, 0, 0, 5, true},
    {"max_pool2d_with_indices", kPooling, PoolingCost, kIndexBytes, 0, 5},
    {"max_pool3d", kPooling, PoolingCost, 0, 0, 5, true},
    {"max_pool3d_with_indices", kPooling, PoolingCost, kIndexBytes, 0, 5},
    {"avg_pool1d", kPooling, PoolingCost, 0, 0, 4, true},
    {"avg_pool2d", kPooling, PoolingCost, 0, 0, 4},
    {"avg_pool3d", kPooling, PoolingCost, 0, 0, 4},
    {"adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d", kPooling, AdaptivePoolingCost, 0, 0, 0, true},
    {"_adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_max_pool2d", kPooling, AdaptivePoolingCost},
    {"max_pool2d_with_indices_backward max_pool3d_with_indices_backward adaptive_max_pool2d_backward", kPooling, PoolingBackwardCost, 0},
    {"avg_pool2d_backward avg_pool3d_backward _adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward", kPooling, PoolingBackwardCost, 1},

    // Losses. `second` is the position of the reduction.
    {"nll_loss_forward nll_loss2d_forward", kLoss, NllLossCost, 1},
    {"nll_loss_backward nll_loss2d_backward", kLoss, NllLossBackwardCost, 1, 0, 0, false, false, false, nullptr, nullptr, true},
    {"mse_loss l1_loss", kLoss, LossCost, 3, 0, 2},
    {"smooth_l1_loss huber_loss", kLoss, LossCost, 5, 0, 2, true},
    {"binary_cross_entropy", kLoss, LossCost, 6, 0, 3},
    {"mse_loss_backward l1_loss_backward smooth_l1_loss_backward huber_loss_backward binary_cross_entropy_backward", kLoss, ElementwiseCost, 3, 3},

    // Optimizers: lists of parameters, gradients and states. The first `second` lists are written,
    // except the gradients: `first` is 1 if the second list contains gradients.
    {"_fused_adam _fused_adamw", kOptimizer, ListCost, kAdam, 1, 3, false, false, true},
    {"_fused_sgd", kOptimizer, ListCost, kSgd, 1, 2, false, false, true},
    {"_fused_adagrad", kOptimizer, ListCost, kSgd, 1, 2, false, false, true},
    {"_foreach_add _foreach_sub _foreach_mul _foreach_div _foreach_sqrt _foreach_neg _foreach_exp _foreach_abs "
     "_foreach_reciprocal _foreach_rsqrt _foreach_pow _foreach_maximum _foreach_minimum _foreach_clamp_min "
     "_foreach_clamp_max _amp_foreach_non_finite_check_and_unscale _foreach_sign",
     kOptimizer, ListCost, 1, 0, 1, false, false, true},
    {"_foreach_addcmul _foreach_addcdiv _foreach_lerp", kOptimizer, ListCost, 3, 0, 1, false, false, true},
    {"_foreach_copy _foreach_zero", kOptimizer, ListCost, 0, 0, 1, false, false, true},
    {"_foreach_norm", kOptimizer, ListCost, 2, 0, 0, false, false, true},

    // These ops move no data, unless an inner op copies.
    {"reshape flatten expand_as resize_as", kView, FreeCost, 0, 0, 0, true},
    {"view _unsafe_view _reshape_alias t transpose permute expand squeeze unsqueeze select slice "
     "narrow unbind split split_with_sizes chunk as_strided detach alias view_as unflatten diagonal unfold "
     "movedim swapaxes swapdims mT numpy_T real imag view_as_real view_as_complex conj resolve_conj resolve_neg "
     "lift_fresh set resize empty empty_like empty_strided new_empty new_empty_strided record_stream "
     "result_type is_pinned pin_memory requires_grad _has_compatible_shallow_copy_type _version_counter "
     "_nested_tensor_size broadcast_tensors broadcast_to meshgrid tensor_split hsplit vsplit positive "
     "_conj _neg_view sym_size size stride can_cast is_floating_point data_ptr output_nr",
     kView, FreeCost},
};
// clang-format on

constexpr OpRule kFusedRule{"", kFused, FusedKernelCost};

// Names of kernels generated by torch.compile in which every argument is read or written
// completely.
bool IsFusedKernel(std::string_view name) {
  if (!name.starts_with("triton_poi_") && !name.starts_with("triton_per_") &&
      !name.starts_with("triton_red_")) {
    return false;
  }
  // Rows are selected from some arguments; how many is not recorded.
  for (const std::string_view part : {"embedding", "index", "gather", "scatter", "slice", "cat_"}) {
    if (Contains(name, part)) return false;
  }
  return true;
}

bool Lists(std::string_view names, std::string_view name) {
  for (size_t at = names.find(name); at != names.npos; at = names.find(name, at + 1)) {
    const bool starts = at == 0 || names[at - 1] == ' ';
    const size_t end = at + name.size();
    if (starts && (end == names.size() || names[end] == ' ')) return true;
  }
  return false;
}

const OpRule* Find(std::string_view name) {
  if (name.empty()) return nullptr;
  const auto at = std::find_if(std::begin(kRules), std::end(kRules),
                               [name](const OpRule& rule) { return Lists(rule.names, name); });
  return at == std::end(kRules) ? nullptr : at;
}

}  // namespace

std::string_view ToString(CostGap gap) {
  switch (gap) {
    case CostGap::kNone:
      return "";
    case CostGap::kUnknownOp:
      return "no formula for such an op";
    case CostGap::kNoShapes:
      return "shapes not recorded";
    case CostGap::kNoValues:
      return "arguments not recorded";
    case CostGap::kHostCopy:
      return "copies from or to the host";
    case CostGap::kPartly:
      return "some work in it has no formula";
    case CostGap::kNoGpuWork:
      return "no GPU work";
    case CostGap::kNoOp:
      return "started by no known op";
    case CostGap::kNoLengths:
      return "sequence lengths not recorded";
    case CostGap::kGraph:
      return "replayed by a graph, without op inputs";
    case CostGap::kCollective:
      return "communication";
    case CostGap::kAuxiliaryKernel:
      return "auxiliary to the op's main kernel";
  }
  return "";
}

const OpRule* FindOpRule(std::string_view op_name) {
  if (IsFusedKernel(op_name)) return &kFusedRule;
  // Ambiguous names are in the table with their namespaces.
  if (const OpRule* rule = Find(op_name)) return rule;
  std::string_view name = op_name;
  if (const size_t colon = name.rfind("::"); colon != name.npos) name.remove_prefix(colon + 2);
  if (const OpRule* rule = Find(name)) return rule;
  // add_ has the cost of add: it reads and writes the same amount.
  if (name.ends_with('_')) return Find(name.substr(0, name.size() - 1));
  return nullptr;
}

bool Dispatches(const OpRule& rule) { return rule.dispatches; }
bool AddsInner(const OpRule& rule) { return rule.adds_inner; }
bool UsesForward(const OpRule& rule) { return rule.uses_forward; }
bool TakesLists(const OpRule& rule) { return rule.takes_lists; }
bool UsesLengths(const OpRule& rule) { return rule.uses_lengths; }

OpCost EstimateCost(const OpRule& rule, const CostInput& input) {
  if (rule.family == kView) return rule.cost(rule, input);
  if (input.own == nullptr && !(rule.uses_forward && input.forward != nullptr)) {
    return Unavailable(CostGap::kNoShapes);
  }
  return rule.cost(rule, input);
}

std::optional<GemmShape> GemmShapeOf(const OpRule& rule, const Signature& signature) {
  return rule.gemm == nullptr ? std::nullopt : rule.gemm(rule, signature);
}

std::optional<ConvShape> ConvShapeOf(const OpRule& rule, const Signature& signature) {
  return rule.conv == nullptr ? std::nullopt : rule.conv(rule, signature);
}

}  // namespace warpsight
