#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/aggregation/report_input.h"
#include "analysis/aggregation/row_link.h"
#include "model/profile.h"

namespace warpsight {

// Number, sum and extremes of durations.
struct Tally {
  int64_t count = 0;
  DurationNs total = 0;
  DurationNs min = 0;
  DurationNs max = 0;

  void Add(DurationNs duration);
  void Merge(const Tally& other);
  double Average() const;  // 0 if there are none
};

// The times of an op's calls, as DLProf defines them (docs/metrics.md).
struct OpTimes {
  Tally cpu;           // duration of its range on the CPU
  Tally gpu;           // union of its kernels, copies and memsets
  Tally cpu_overhead;  // CPU time outside its API calls
  Tally gpu_idle;      // time between its first and its last GPU work in which none of it ran

  void Merge(const OpTimes& other);
};

// All calls of one op: equal in module path, name and direction. GPU work that names its op counts
// under that op; its work from one API call is one call. GPU work without an op counts under
// additional ops, one for each API function or kind of work. If functions are marked, ops are those
// of DLProf: the outermost marked functions, with a separate op for each call of an iteration
// (CallNumbers). Backward nodes have the path and the name of their function. API calls outside
// functions are ops, too.
struct Op {
  std::string id;    // "LINEAR_3": the third op of its type to appear
  std::string name;  // "Model/fc1/aten::linear", or "unassociated_cudaMemcpyAsync"
  std::string type;  // "linear", or "cudaMemcpyAsync"
  std::string path;  // "Model/fc1": its position in the program
  Direction direction = Direction::kForward;
  // The first call on the CPU; kNone for work without an op and for work that names its op.
  HostId first_call = kNone<HostId>;
  bool named_by_work = false;  // known from its GPU work only
  // The op that provides the name: the first call, or the function of which it is a backward node.
  HostId naming_op = kNone<HostId>;
  // The first API call, if these are API calls outside all ops.
  ApiId first_api = kNone<ApiId>;
  // Its first kernel, copy or memset.
  GpuId first_work = kNone<GpuId>;
  int64_t kernels = 0;  // launched by its calls, without copies and memsets
  // It, or an op inside it that launched GPU work, can use Tensor Cores; or some of its kernels use
  // them.
  bool tensor_core_eligible = false;
  bool uses_tensor_cores = false;
  bool may_use_tensor_cores = false;  // whether some of its kernels use them is unknown
  OpTimes times;

  int64_t calls() const { return times.cpu.count; }
  bool associated() const { return named_by_work || IsSet(first_call); }
  // Its type, for lists with other ops; for work without an op, its name.
  std::string_view kind() const { return associated() ? type : name; }
  // Its first call or, without calls, its first work.
  RowLink Place() const;
};

// The times of all calls of an op in one iteration.
struct OpIteration {
  uint32_t op;  // row in OpTable::ops()
  IterationId iteration;
  DurationNs cpu = 0, gpu = 0, cpu_overhead = 0, gpu_idle = 0;
};

// The ops of the aggregated iterations, in order of appearance. Every GPU activity of those
// iterations counts under exactly one of them. Linear in the size of the trace, with only a few
// integers per call.
class OpTable {
 public:
  static constexpr uint32_t kOutside = UINT32_MAX;

  explicit OpTable(const ReportInput& input);

  const std::vector<Op>& ops() const { return ops_; }
  // The times of the ops by iteration; an op may have several parts in one iteration.
  const std::vector<OpIteration>& by_iteration() const { return by_iteration_; }
  // The row in ops() under which a GPU activity counts; kOutside for work of other iterations.
  uint32_t RowOf(GpuId gpu) const { return gpu_rows_[Index(gpu)]; }
  // Whether a GPU activity is the work of an op that can use Tensor Cores (EligibleWork).
  bool InEligibleOp(GpuId gpu) const { return gpu_eligible_[Index(gpu)] != 0; }
  // What a GPU activity adds to the GPU time of its op: the part of its duration that does not
  // overlap earlier work of the same call. Sums to the GPU times of ops; 0 for work of other
  // iterations.
  DurationNs AddedTime(GpuId gpu) const { return gpu_added_[Index(gpu)]; }
  // Rows ordered by descending GPU time, then CPU time.
  std::vector<uint32_t> RowsByTime() const;
  // Rows in the order of DLProf's detail report: by id, as text.
  std::vector<uint32_t> RowsById() const;

 private:
  std::vector<Op> ops_;
  std::vector<OpIteration> by_iteration_;
  std::vector<uint32_t> gpu_rows_;
  std::vector<uint8_t> gpu_eligible_;
  std::vector<DurationNs> gpu_added_;
};

// The sums over all ops of a table, by their use of Tensor Cores.
struct OpTotals {
  struct Part {
    DurationNs gpu = 0;
    DurationNs cpu = 0;
    int64_t count = 0;
    int64_t calls = 0;
  };
  Part all;
  Part using_tensor_cores;
  Part eligible_only;     // could use them but does not
  Part eligible_unknown;  // could use them; whether it does is unknown
  Part other;
};

OpTotals SumOps(const OpTable& table);

// The op under which reports count `host`; kNone if there is none.
inline HostId CountedOp(const FactTables& facts, HostId host) {
  return IsSet(host) ? facts.host.op[Index(host)] : kNone<HostId>;
}

}  // namespace warpsight
