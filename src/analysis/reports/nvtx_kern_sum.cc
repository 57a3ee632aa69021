#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/reporting/enclosing_ranges.h"
#include "analysis/reporting/lane_cells.h"
#include "analysis/reporting/summary_table.h"

namespace warpsight::reports::nvtx_kern_sum {
namespace {

// Range name, thread, kernel name: a row of the report.
using Key = std::tuple<StringId, ThreadId, StringId>;

class Kernels {
 public:
  explicit Kernels(ProfileView profile) : profile_(profile) {
    const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
    const HostRangesTable& host = profile.trace.tables.host;
    const EnclosingRanges ranges(profile);
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      if (gpu.kind[g] != GpuKind::kKernel) continue;
      ++kernels_;
      const size_t before = instances_.size();
      const auto add = [&](HostId range) {
        const size_t r = Index(range);
        const size_t row = keys_.NumberOf({host.name[r], host.thread[r], gpu.name[g]});
        groups_.Add(row, gpu.duration[g], g);
        instances_.emplace_back(static_cast<uint32_t>(row), range);
      };
      const ApiId call = profile.facts.gpu.api[g];
      if (IsSet(call)) ranges.ForEachAroundCall(call, add);
      if (instances_.size() == before) ++outside_;
    }
  }

  void Write(RowSink& sink) {
    const Trace& trace = profile_.trace;
    const std::vector<int64_t> instances = CountInstances();
    const auto names_of = [&](size_t row) {
      const auto& [range, thread, kernel] = keys_[row];
      return std::tuple(trace.Text(range), trace.Text(kernel), thread);
    };
    const auto summary =
        groups_.Summarise([&](size_t a, size_t b) { return names_of(a) < names_of(b); });
    sink.Note(summary.empty() ? "No kernel was launched inside an annotation or module."
                              : kWholeTraceNote);
    NoteWorkOutsideRanges(outside_, kernels_, "kernels", sink);
    std::vector<Cell> cells;
    for (const auto& [row, statistics, longest] : summary) {
      const auto& [range, thread, kernel] = keys_[row];
      cells.assign({trace.Text(range), kPushPop, PidCell(trace, thread), TidCell(trace, thread),
                    instances[row], statistics.count, statistics.total});
      AppendSpread(statistics, cells);
      cells.emplace_back(trace.Text(kernel));
      sink.Row(cells);
      sink.Link(RowLink::To(MakeId<GpuId>(longest)));
    }
  }

 private:
  // By row: how many instances of the range launched the kernel.
  std::vector<int64_t> CountInstances() {
    std::sort(instances_.begin(), instances_.end());
    instances_.erase(std::unique(instances_.begin(), instances_.end()), instances_.end());
    std::vector<int64_t> counts(instances_.empty() ? 0 : instances_.back().first + size_t{1});
    for (const auto& [row, range] : instances_) ++counts[row];
    return counts;
  }

  ProfileView profile_;
  KeyNumbers<Key> keys_;
  ValueGroups groups_;
  std::vector<std::pair<uint32_t, HostId>> instances_;
  int64_t kernels_ = 0;
  int64_t outside_ = 0;
};

void Compute(const ReportInput& input, RowSink& sink) { Kernels(input.profile).Write(sink); }

}  // namespace

Report Define() {
  return {"nvtx_kern_sum",
          "NVTX Range Kernel Summary",
          "kernels of the whole trace by the annotations and modules around their launch "
          "(Nsight Systems' report)",
          {{"NVTX Range", ColumnType::kText, "annotation or module"},
           {"Style", ColumnType::kText, "PushPop: nested on a thread"},
           {"PID", ColumnType::kText, "process of the range"},
           {"TID", ColumnType::kText, "thread of the range"},
           {"NVTX Inst", ColumnType::kInteger, "instances of the range with this kernel; measured"},
           {"Kern Inst", ColumnType::kInteger,
            "launches of the kernel inside them; one counts for every range around it; measured"},
           {"Total Time (ns)", ColumnType::kDurationNs, "sum of the kernel's durations; measured"},
           {"Avg (ns)", ColumnType::kDurationNs, "mean duration; measured"},
           {"Med (ns)", ColumnType::kDurationNs, "median duration; measured"},
           {"Min (ns)", ColumnType::kDurationNs, "shortest duration; measured"},
           {"Max (ns)", ColumnType::kDurationNs, "longest duration; measured"},
           {"StdDev (ns)", ColumnType::kDurationNs, "standard deviation of the sample; measured"},
           {"Kernel Name", ColumnType::kText, "kernel name as recorded"}},
          Compute};
}

}  // namespace warpsight::reports::nvtx_kern_sum
