#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "analysis/roofline/op_cost.h"

// Shared by op_rules.cc (the table) and the files with formulas; other code uses op_cost.h.
namespace warpsight {

using CostFunction = OpCost (*)(const OpRule& rule, const CostInput& input);
using GemmFunction = std::optional<GemmShape> (*)(const OpRule& rule, const Signature& signature);
using ConvFunction = std::optional<ConvShape> (*)(const OpRule& rule, const Signature& signature);

struct OpRule {
  // Names without namespace and without the underscore that marks in-place ops, separated by
  // spaces.
  std::string_view names;
  std::string_view family;
  CostFunction cost;
  // Parameters of the formula: operations per element, and positions of arguments.
  double factor = 0;
  int first = 0;   // position of the first tensor
  int second = 0;  // position of a further argument
  bool dispatches = false;
  bool uses_forward = false;
  bool takes_lists = false;
  GemmFunction gemm = nullptr;
  ConvFunction conv = nullptr;
  bool adds_inner = false;
  bool uses_lengths = false;
};

OpCost Unavailable(CostGap gap);
// The cost of FLOPs on vector units.
OpCost VectorCost(const OpRule& rule, double flops, double bytes, ElementType type);
OpCost MatrixCost(const OpRule& rule, double flops, double bytes, ElementType type);

// The sum of bytes; kMissingReal if any part is unknown.
double AddBytes(std::initializer_list<double> parts);
// Bytes of all tensors among the first `count` arguments, including those in lists.
double TensorBytes(const CostInput& input, size_t count = SIZE_MAX);

// matrix_costs.cc
std::optional<GemmShape> MmShape(const OpRule& rule, const Signature& signature);
std::optional<GemmShape> LinearShape(const OpRule& rule, const Signature& signature);
std::optional<GemmShape> MatmulShape(const OpRule& rule, const Signature& signature);
OpCost GemmCost(const OpRule& rule, const CostInput& input);
OpCost ScaledMmCost(const OpRule& rule, const CostInput& input);
OpCost RecurrentCost(const OpRule& rule, const CostInput& input);
OpCost RecurrentLayerCost(const OpRule& rule, const CostInput& input);

// conv_costs.cc
std::optional<ConvShape> ConvolutionShape(const OpRule& rule, const Signature& signature);
std::optional<ConvShape> ConvolutionBackwardShape(const OpRule& rule, const Signature& signature);
OpCost ConvolutionCost(const OpRule& rule, const CostInput& input);
OpCost ConvolutionBackwardCost(const OpRule& rule, const CostInput& input);
OpCost ConvolutionInputGradientCost(const OpRule& rule, const CostInput& input);
OpCost ConvolutionWeightGradientCost(const OpRule& rule, const CostInput& input);
OpCost PoolingCost(const OpRule& rule, const CostInput& input);
OpCost PoolingBackwardCost(const OpRule& rule, const CostInput& input);
OpCost AdaptivePoolingCost(const OpRule& rule, const CostInput& input);

// attention_costs.cc
OpCost AttentionCost(const OpRule& rule, const CostInput& input);
OpCost AttentionBackwardCost(const OpRule& rule, const CostInput& input);
OpCost AttentionTimeFirstCost(const OpRule& rule, const CostInput& input);
OpCost AttentionTimeFirstBackwardCost(const OpRule& rule, const CostInput& input);
OpCost AttentionThroughForwardCost(const OpRule& rule, const CostInput& input);

// serving_costs.cc
OpCost RmsNormCost(const OpRule& rule, const CostInput& input);
OpCost AddRmsNormCost(const OpRule& rule, const CostInput& input);
OpCost RotaryCost(const OpRule& rule, const CostInput& input);
OpCost RotaryToCost(const OpRule& rule, const CostInput& input);
OpCost GatedActivationCost(const OpRule& rule, const CostInput& input);
OpCost CacheWriteCost(const OpRule& rule, const CostInput& input);
OpCost GroupedMmCost(const OpRule& rule, const CostInput& input);
OpCost FusedExpertsCost(const OpRule& rule, const CostInput& input);
OpCost PagedAttentionCost(const OpRule& rule, const CostInput& input);

// memory_costs.cc
OpCost FreeCost(const OpRule& rule, const CostInput& input);
OpCost ElementwiseCost(const OpRule& rule, const CostInput& input);
OpCost ComparisonCost(const OpRule& rule, const CostInput& input);
OpCost CastCost(const OpRule& rule, const CostInput& input);
OpCost FillCost(const OpRule& rule, const CostInput& input);
OpCost CopyCost(const OpRule& rule, const CostInput& input);
OpCost ReductionCost(const OpRule& rule, const CostInput& input);
OpCost NormalizationCost(const OpRule& rule, const CostInput& input);
OpCost SoftmaxCost(const OpRule& rule, const CostInput& input);
OpCost DropoutCost(const OpRule& rule, const CostInput& input);
OpCost LossCost(const OpRule& rule, const CostInput& input);
OpCost NllLossCost(const OpRule& rule, const CostInput& input);
OpCost NllLossBackwardCost(const OpRule& rule, const CostInput& input);
OpCost EmbeddingCost(const OpRule& rule, const CostInput& input);
OpCost EmbeddingBackwardCost(const OpRule& rule, const CostInput& input);
OpCost IndexSelectCost(const OpRule& rule, const CostInput& input);
OpCost GatherCost(const OpRule& rule, const CostInput& input);
OpCost ScatterCost(const OpRule& rule, const CostInput& input);
OpCost CatCost(const OpRule& rule, const CostInput& input);
OpCost ListCost(const OpRule& rule, const CostInput& input);
OpCost LstmCellCost(const OpRule& rule, const CostInput& input);
OpCost FusedKernelCost(const OpRule& rule, const CostInput& input);

}  // namespace warpsight
