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
  kUnknownOp,        // no formula for an op of that name
  kNoShapes,         // the shapes of its inputs were not recorded
  kNoValues,         // a scalar input that the formula needs was not recorded
  kHostCopy,         // it copies from or to the host: the GPU's memory does not limit it
  kPartly,           // some work inside it has no formula
  kNoGpuWork,        // it started nothing on a GPU
  kNoOp,             // GPU work that no op started
  kNoLengths,        // attention over a cache: the lengths of the sequences were not recorded
  kGraph,            // replayed by a graph, which records neither op nor inputs
  kCollective,       // communication: no arithmetic or memory of one GPU limits it
  kAuxiliaryKernel,  // an auxiliary kernel beside the op's main kernels
};
std::string_view ToString(CostGap gap);

// Arithmetic and memory traffic of one call, from the shapes of its inputs (estimated): a
// multiply-add counts as two operations; every input is read once, every output written once.
struct OpCost {
  // kMissingReal where not known; a view's are 0.
  double flops = kMissingReal;
  double bytes = kMissingReal;
  // The part of `flops` that is matrix products, which is what "model FLOPs" counts.
  double matrix_flops = 0;
  // Number format of the matrix products, or else of the largest input.
  Precision precision = Precision::kUnknown;
  std::string_view family;  // "gemm", "elementwise", ...; static text
  CostGap gap = CostGap::kUnknownOp;
  bool measured = false;  // from hardware counters

  // Whether FLOPs or bytes are known.
  bool known() const { return gap == CostGap::kNone; }
  bool matrix() const { return matrix_flops > 0; }
};

// How one kind of op is counted. Rules live in a table (op_rules.cc); one row has all ops with the
// same formula.
struct OpRule;

// The rule for an op's name ("aten::addmm", "flash_attn::_flash_attn_forward"), or null. Call once
// per distinct name.
const OpRule* FindOpRule(std::string_view op_name);

// Whether the op only calls ops inside it (aten::linear): their costs are used instead of its own,
// as far as they were recorded.
bool Dispatches(const OpRule& rule);
// Whether the ops inside it do work that its formula leaves out: their costs count besides.
bool AddsInner(const OpRule& rule);
// Whether the cost follows from the forward op's inputs: backward nodes of custom functions.
bool UsesForward(const OpRule& rule);
// Whether it takes lists of tensors, whose element type the profiler does not record.
bool TakesLists(const OpRule& rule);
// Whether it works on sequences whose lengths only the step around it tells.
bool UsesLengths(const OpRule& rule);

struct CostInput {
  const Signature* own = nullptr;            // null where not recorded
  const Signature* forward = nullptr;        // of the forward op; only for rules that use it
  double list_element_bytes = kMissingReal;  // of tensors in lists, where something tells
  const SequenceLengths* lengths = nullptr;  // of the step; only for rules that use them
};

OpCost EstimateCost(const OpRule& rule, const CostInput& input);

// The shape of the op's matrix product or convolution, if it is one.
std::optional<GemmShape> GemmShapeOf(const OpRule& rule, const Signature& signature);
std::optional<ConvShape> ConvShapeOf(const OpRule& rule, const Signature& signature);

}  // namespace warpsight
