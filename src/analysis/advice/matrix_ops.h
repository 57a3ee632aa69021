#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/advice/kernel_edits.h"
#include "analysis/advice/kernel_time.h"
#include "analysis/advice/rule.h"
#include "analysis/roofline/op_cost.h"

namespace warpsight {

// A call of an op that is a matrix product, a convolution, attention or a recurrent cell, with its
// kernels. It is the innermost such op: aten::addmm rather than aten::linear.
struct MatrixOp {
  HostId op;
  Direction direction = Direction::kForward;
  std::vector<GpuId> kernels;  // of matrix families: not casts, layout transforms or reductions
  DurationNs time = 0;         // of `kernels`
  Precision precision = Precision::kUnknown;  // of the kernels; if unknown, of the inputs
  bool tensor_cores = false;                  // all kernels use them
  bool no_tensor_cores = false;               // it is certain that none does
  OpCost cost;                                // FLOPs and bytes may be missing
  std::optional<GemmShape> gemm;
  bool transposed = false;  // the product's first operand is a transposed view, as in gradients of
                            // weights
  std::optional<ConvShape> conv;
  bool channels_last = false;  // the convolution's input has the layout that Tensor Cores need
  std::optional<AttentionShape> attention;

  bool has_shape() const { return gemm || conv || attention; }
};

// The matrix ops of the aggregated iterations, in timeline order.
std::vector<MatrixOp> FindMatrixOps(ProfileView profile, const StepWork& work,
                                    const CostModel& costs);

// The time of good kernels for it in a number format; kMissingReal if its shape or the GPU's peak
// is unknown.
double MatrixOpNs(const MatrixOp& op, Precision precision, const GpuPeaks& peaks);

// The time for converting layouts that is added when a convolution with channels outermost moves to
// Tensor Cores.
double LayoutConversionNs(const MatrixOp& op, Precision precision, const GpuPeaks& peaks);

// Scales all kernels of an op so that they take `time` together; never makes them slower.
void SpeedUp(const MatrixOp& op, double time_ns, KernelEdits& edits);

// A list of the costliest kinds of ops, for evidence: "aten::mm [8192, 768] x [768, 50304]".
std::string Describe(const RuleInput& input, const MatrixOp& op);
std::vector<Evidence> CostliestOps(const RuleInput& input, const std::vector<const MatrixOp*>& ops,
                                   size_t count);

}  // namespace warpsight
