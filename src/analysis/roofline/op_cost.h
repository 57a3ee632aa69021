#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/roofline/gemm_conv.h"
#include "analysis/roofline/sequence_lengths.h"

namespace warpsight {

// Why an op's cost is not available.
enum class CostGap : uint8_t {
  kNone,
  kUnknownOp,        // there is no formula for an op with that name
  kNoShapes,         // the shapes of its inputs were not recorded
  kNoValues,         // a scalar input that the formula needs was not recorded
  kHostCopy,         // it copies from or to the host, so the GPU's memory is not the limit
  kPartly,           // some of the work inside it has no formula
  kNoGpuWork,        // it launched no GPU work
  kNoOp,             // GPU work without an op
  kNoLengths,        // attention over a cache: the lengths of the sequences were not recorded
  kGraph,            // replayed by a graph, which records neither op nor inputs
  kCollective,       // communication: neither arithmetic nor memory of one GPU is the limit
  kAuxiliaryKernel,  // an auxiliary kernel besides the op's main kernels
};
std::string_view ToString(CostGap gap);

// Arithmetic and memory traffic of one call, estimated from the shapes of its inputs: a
// multiply-add counts as two operations; every input is read once, every output written once.
struct OpCost {
  // kMissingReal if unknown; 0 for views.
  double flops = kMissingReal;
  double bytes = kMissingReal;
  // The part of `flops` done by matrix products, which "model FLOPs" counts.
  double matrix_flops = 0;
  // The number format of the matrix products; without them, of the largest input.
  Precision precision = Precision::kUnknown;
  std::string_view family;  // "gemm", "elementwise", ...; static text
  CostGap gap = CostGap::kUnknownOp;
  bool measured = false;  // from hardware counters

  // Whether FLOPs or bytes are known.
  bool known() const { return gap == CostGap::kNone; }
  bool matrix() const { return matrix_flops > 0; }
};

// How one kind of op is counted. Rules are rows of a table (op_rules.cc); ops with the same formula
// share a row.
struct OpRule;

// The rule for an op's name ("aten::addmm", "flash_attn::_flash_attn_forward"), or null. Call it
// once per distinct name.
const OpRule* FindOpRule(std::string_view op_name);

// Whether the op only calls other ops (aten::linear): if their costs are known, they are used
// instead of its own.
bool Dispatches(const OpRule& rule);
// Whether its formula leaves out the work of inner ops: their costs are added.
bool AddsInner(const OpRule& rule);
// Whether the cost follows from the inputs of the forward op, as for backward nodes of custom
// functions.
bool UsesForward(const OpRule& rule);
// Whether it takes lists of tensors, whose element type the profiler does not record.
bool TakesLists(const OpRule& rule);
// Whether it works on sequences whose lengths are recorded only in the name of the step.
bool UsesLengths(const OpRule& rule);

struct CostInput {
  const Signature* own = nullptr;            // null if not recorded
  const Signature* forward = nullptr;        // of the forward op; only for rules with UsesForward()
  double list_element_bytes = kMissingReal;  // of tensors in lists; if it is known
  const SequenceLengths* lengths = nullptr;  // of the step; only for rules with UsesLengths()
};

OpCost EstimateCost(const OpRule& rule, const CostInput& input);

// The shape of the op's matrix product or convolution, if it is one.
std::optional<GemmShape> GemmShapeOf(const OpRule& rule, const Signature& signature);
std::optional<ConvShape> ConvShapeOf(const OpRule& rule, const Signature& signature);

}  // namespace warpsight
