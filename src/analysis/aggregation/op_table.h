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
  double Average() const;  // 0 when empty
};

// The times of an op's calls, as DLProf defines them (docs/metrics.md).
struct OpTimes {
  Tally cpu;           // duration of its range on the CPU
  Tally gpu;           // union of its kernels, copies and memsets
  Tally cpu_overhead;  // CPU time outside its API calls
  Tally gpu_idle;      // between its first and its last GPU work, with none of it running

  void Merge(const OpTimes& other);
};

// All calls of one op node: equal in module path, name and direction. GPU work that names its op
// counts under that op: its work from one API call is one call of the op. GPU work without an op
// counts under additional ops, one for each API function or kind of work. If functions are marked,
// ops are those of DLProf: the outermost of the functions, and each call of an iteration is a
// separate op (CallNumbers). Backward nodes have the path and the name of their function. API calls
// outside functions are ops, too.
struct Op {
  std::string id;    // "LINEAR_3": the third op of its type to appear
  std::string name;  // "Model/fc1/aten::linear", or "unassociated_cudaMemcpyAsync"
  std::string type;  // "linear", or "cudaMemcpyAsync"
  std::string path;  // "Model/fc1": where it stands in the program
  Direction direction = Direction::kForward;
  // The first call on the CPU; kNone for work that no op started or that names its op itself.
  HostId first_call = kNone<HostId>;
  bool named_by_work = false;  // known from its GPU work only
  // Where its name comes from: the first call, or the function whose backward node that is.
  HostId naming_op = kNone<HostId>;
  // The first API call of those that no op made.
  ApiId first_api = kNone<ApiId>;
  // Its first kernel, copy or memset.
  GpuId first_work = kNone<GpuId>;
  int64_t kernels = 0;  // that its calls started, copies and memsets not counted
  // It, or an op inside it that started GPU work, is of a kind that Tensor Cores can do; or some of
  // its kernels do use them.
  bool tensor_core_eligible = false;
  bool uses_tensor_cores = false;
  bool may_use_tensor_cores = false;  // what some of its kernels do is not known
  OpTimes times;

  int64_t calls() const { return times.cpu.count; }
  bool associated() const { return named_by_work || IsSet(first_call); }
  // Its type where it stands beside those of other ops: that of work without op says so.
  std::string_view kind() const { return associated() ? type : name; }
  // Its first call, or the first work where there is none.
  RowLink Place() const;
};

// What the calls of an op in one iteration took together.
struct OpIteration {
  uint32_t op;  // row in OpTable::ops()
  IterationId iteration;
  DurationNs cpu = 0, gpu = 0, cpu_overhead = 0, gpu_idle = 0;
};

// The ops of the aggregated iterations, in order of appearance. Every GPU activity of those
// iterations counts under exactly one of them. Linear in the size of the trace; nothing is built
// per call but a few integers.
class OpTable {
 public:
  static constexpr uint32_t kOutside = UINT32_MAX;

  explicit OpTable(const ReportInput& input);

  const std::vector<Op>& ops() const { return ops_; }
  // The times of the ops by iteration; an op may have several parts for one.
  const std::vector<OpIteration>& by_iteration() const { return by_iteration_; }
  // Row in ops() under which a GPU activity counts; kOutside for work of other iterations.
  uint32_t RowOf(GpuId gpu) const { return gpu_rows_[Index(gpu)]; }
  // Whether a GPU activity is the work of an op that Tensor Cores could do (EligibleWork).
  bool InEligibleOp(GpuId gpu) const { return gpu_eligible_[Index(gpu)] != 0; }
  // What a GPU activity adds to the GPU time of its op: its duration less what runs beside earlier
  // work of the same call. Sums to the ops' GPU times; 0 for work of other iterations.
  DurationNs AddedTime(GpuId gpu) const { return gpu_added_[Index(gpu)]; }
  // Rows by falling GPU time, then falling CPU time.
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

// All ops of a table by their use of Tensor Cores.
struct OpTotals {
  struct Part {
    DurationNs gpu = 0;
    DurationNs cpu = 0;
    int64_t count = 0;
    int64_t calls = 0;
  };
  Part all;
  Part using_tensor_cores;
  Part eligible_only;     // could use them and does not
  Part eligible_unknown;  // could use them, and whether it does is not known
  Part other;
};

OpTotals SumOps(const OpTable& table);

// The op under which reports count what `host` (or an op inside it) did; kNone where there is none.
inline HostId CountedOp(const FactTables& facts, HostId host) {
  return IsSet(host) ? facts.host.op[Index(host)] : kNone<HostId>;
}

}  // namespace warpsight
