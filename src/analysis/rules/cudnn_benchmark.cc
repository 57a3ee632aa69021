#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/advice/matrix_ops.h"
#include "analysis/roofline/cost_model.h"

namespace warpsight::rules::cudnn_benchmark {

Rule Define();

namespace {

// Convolutions that take at least this many times as long as good kernels for their size have a
// poor algorithm, up to the second factor: beyond it, there is no better kernel, because the shape
// does not fit Tensor Cores.
constexpr double kMinTunableRatio = 1.6;
constexpr double kMaxTunableRatio = 4.0;
// The result of trying out algorithms (ResNet-50 in fp32 on an H200: 1.3 to 1.5).
constexpr double kTuned = 1.4;

// Identifies the same convolution in different iterations.
using Call = std::tuple<StringId, SignatureId>;

struct Seen {
  std::vector<const MatrixOp*> calls;
  std::set<std::vector<StringId>> algorithms;  // distinct lists of kernel names of its calls
  DurationNs fastest = 0;
};

std::map<Call, Seen> GroupCalls(const RuleInput& input, const std::vector<MatrixOp>& ops) {
  const Trace& trace = input.profile.trace;
  std::map<Call, Seen> seen;
  for (const MatrixOp& op : ops) {
    const SignatureId signature = trace.tables.host.signature[Index(op.op)];
    if (!op.conv || !IsSet(signature)) continue;
    Seen& group = seen[{trace.tables.host.name[Index(op.op)], signature}];
    std::vector<StringId> kernels;
    for (const GpuId kernel : op.kernels) kernels.push_back(trace.tables.gpu.name[Index(kernel)]);
    group.algorithms.insert(kernels);
    group.fastest = group.calls.empty() ? op.time : std::min(group.fastest, op.time);
    group.calls.push_back(&op);
  }
  return seen;
}

RuleResult Run(const RuleInput& input) {
  const std::vector<MatrixOp>& ops = input.matrix_ops;
  const bool convolutions = std::any_of(ops.begin(), ops.end(), [&](const MatrixOp& op) {
    return input.work.KindOf(op.kernels.front()).family == KernelFamily::kConvolution;
  });
  if (!convolutions) return Healthy{};
  const std::map<Call, Seen> calls = GroupCalls(input, ops);
  if (calls.empty()) return WithoutShapes();
  const auto& peaks = input.costs.peaks();
  KernelEdits edits;
  std::vector<const MatrixOp*> poor;
  DurationNs time = 0;
  size_t varying = 0;
  for (const auto& [call, seen] : calls) {
    const bool varies = seen.algorithms.size() > 1;
    varying += varies;
    for (const MatrixOp* op : seen.calls) {
      const auto took = static_cast<double>(op->time);
      double after = varies ? static_cast<double>(seen.fastest) : took;
      const double good = peaks ? MatrixOpNs(*op, op->precision, *peaks) : kMissingReal;
      const bool tunable = good > 0 && op->conv->groups == 1 && took > kMinTunableRatio * good &&
                           took < kMaxTunableRatio * good;
      if (tunable) after = std::min(after, kTuned * good);
      if (after >= took) continue;
      SpeedUp(*op, after, edits);
      poor.push_back(op);
      time += op->time;
    }
  }
  if (edits.empty()) {
    if (!peaks) return WithoutPeaks();
    return Healthy{};
  }
  Finding finding;
  finding.problem = fmt::format(
      "{} per step of convolutions take at least {:.1f} times as long as good kernels do "
      "for their sizes{}.",
      input.TimePerStep(time), kMinTunableRatio,
      varying > 0 ? fmt::format("; for {} of them the algorithm changes from step to step", varying)
                  : "");
  finding.recommendation =
      "Let cuDNN try its algorithms out once per shape: torch.backends.cudnn.benchmark = True (and "
      "keep input sizes fixed). With torch.compile: mode=\"max-autotune\". In CUDA C++: "
      "cudnnFindConvolutionForwardAlgorithmEx, or heuristics mode B.";
  finding.evidence = CostliestOps(input, poor, 5);
  finding.confidence = Confidence::kLow;
  finding.assumes =
      "cuDNN has a better algorithm and memory for its workspace, and autotuning is not on already";
  finding.edit = std::move(edits);
  return finding;
}

}  // namespace

Rule Define() { return {"cudnn-benchmark", "Convolutions with poor algorithms", Run}; }

}  // namespace warpsight::rules::cudnn_benchmark
