#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/report_parts/enclosing_ranges.h"
#include "analysis/report_parts/lane_cells.h"
#include "analysis/report_parts/summary_table.h"
#include "analysis/report_parts/user_ranges.h"

namespace warpsight::reports::nvtx_kern_sum {
namespace {

// The key of a row: a range, or none for kernels that were launched outside every range.
struct Key {
  bool in_range = false;
  StringId domain = StringId::kEmpty, text = StringId::kEmpty;
  NvtxStyle style = NvtxStyle::kPushPop;
  ThreadId thread = kNone<ThreadId>;  // none if the launch was not recorded
  StringId kernel = StringId::kEmpty;

  friend bool operator==(const Key&, const Key&) = default;
  auto HashedFields() const { return std::tuple(in_range, domain, text, style, thread, kernel); }
};

class Kernels {
 public:
  explicit Kernels(ProfileView profile) : profile_(profile) {
    const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
    const EnclosingRanges ranges(profile);
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      if (gpu.kind[g] != GpuKind::kKernel) continue;
      bool inside = false;
      const auto add = [&](size_t number) {
        const UserRange& range = ranges.ranges()[number];
        const size_t row = keys_.NumberOf(
            {true, range.domain, range.text, range.style, range.thread, gpu.name[g]});
        groups_.Add(row, gpu.duration[g], g);
        instances_.emplace_back(static_cast<uint32_t>(row), static_cast<uint32_t>(number));
        launches_.emplace_back(static_cast<uint32_t>(row), static_cast<uint32_t>(g));
        inside = true;
      };
      const ApiId call = profile.facts.gpu.api[g];
      if (IsSet(call)) ranges.ForEachAroundCall(call, add);
      if (inside) continue;
      Key outside;
      if (IsSet(call)) outside.thread = profile.trace.tables.api.thread[Index(call)];
      outside.kernel = gpu.name[g];
      const size_t row = keys_.NumberOf(outside);
      groups_.Add(row, gpu.duration[g], g);
      launches_.emplace_back(static_cast<uint32_t>(row), static_cast<uint32_t>(g));
    }
  }

  void Write(RowSink& sink) {
    const Trace& trace = profile_.trace;
    auto summary = groups_.SummarizeInOrder();
    const std::vector<int64_t> instances = CountDistinct(instances_, summary.size());
    const std::vector<int64_t> launches = CountDistinct(launches_, summary.size());
    std::vector<std::string> names(summary.size());
    for (size_t row = 0; row < names.size(); ++row) {
      const Key& key = keys_[row];
      if (key.in_range) names[row] = NameOfRange(trace, key.domain, key.text);
    }
    const auto order = [&](const ValueGroups::Group& group) {
      const Key& key = keys_[group.number];
      return std::tuple(key.in_range, std::string_view(names[group.number]), key.thread,
                        -group.statistics.total, trace.Text(key.kernel), key.style);
    };
    std::sort(summary.begin(), summary.end(),
              [&](const auto& a, const auto& b) { return order(a) < order(b); });
    sink.Note(summary.empty() ? "The trace contains no kernels." : kWholeTraceNote);
    std::vector<Cell> cells;
    for (const auto& [row, statistics, longest] : summary) {
      const Key& key = keys_[row];
      cells.clear();
      cells.emplace_back(names[row]);
      cells.emplace_back(key.in_range ? ToString(key.style) : "");
      cells.push_back(IsSet(key.thread) ? PidCell(trace, key.thread) : Cell());
      cells.push_back(IsSet(key.thread) ? TidCell(trace, key.thread) : Cell());
      cells.insert(cells.end(), {instances[row], launches[row], statistics.total});
      AppendSpread(statistics, cells);
      cells.emplace_back(trace.Text(key.kernel));
      sink.Row(cells);
      sink.Link(RowLink::To(MakeId<GpuId>(longest)));
    }
  }

 private:
  using RowMembers = std::vector<std::pair<uint32_t, uint32_t>>;  // row; range or kernel

  // By row: the number of its distinct members.
  static std::vector<int64_t> CountDistinct(RowMembers& members, size_t rows) {
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    std::vector<int64_t> counts(rows);
    for (const auto& [row, member] : members) ++counts[row];
    return counts;
  }

  ProfileView profile_;
  KeyNumbers<Key> keys_;
  ValueGroups groups_;
  RowMembers instances_, launches_;
};

void Compute(const ReportInput& input, RowSink& sink) { Kernels(input.profile).Write(sink); }

}  // namespace

Report Define() {
  return {"nvtx_kern_sum",
          "NVTX Range Kernel Summary",
          "kernels of the whole trace by the NVTX ranges, annotations and modules around their "
          "launch (Nsight Systems' report)",
          {{"NVTX Range", ColumnType::kText,
            "domain:text of the range; empty for kernels launched outside every range"},
           {"Style", ColumnType::kText,
            "PushPop: nested on one thread; StartEnd: may start and end on different threads"},
           {"PID", ColumnType::kText, "process that launched"},
           {"TID", ColumnType::kText, "thread that launched"},
           {"NVTX Inst", ColumnType::kInteger, "instances of the range with this kernel; measured"},
           {"Kern Inst", ColumnType::kInteger, "launches of the kernel inside them; measured"},
           {"Total Time (ns)", ColumnType::kDurationNs,
            "sum of the kernel's durations, one for every range around its launch; measured"},
           {"Avg (ns)", ColumnType::kDurationNs, "mean duration; measured"},
           {"Med (ns)", ColumnType::kDurationNs, "median duration; measured"},
           {"Min (ns)", ColumnType::kDurationNs, "shortest duration; measured"},
           {"Max (ns)", ColumnType::kDurationNs, "longest duration; measured"},
           {"StdDev (ns)", ColumnType::kDurationNs, "standard deviation of the sample; measured"},
           {"Kernel Name", ColumnType::kText, "kernel name as recorded"}},
          Compute};
}

}  // namespace warpsight::reports::nvtx_kern_sum
