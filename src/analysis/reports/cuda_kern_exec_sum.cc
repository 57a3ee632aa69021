#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/facts/api_version.h"
#include "analysis/report_parts/lane_cells.h"
#include "analysis/report_parts/summary_table.h"

namespace warpsight::reports::cuda_kern_exec_sum {
namespace {

// The key of a row of the report.
struct Key {
  ThreadId thread;  // the thread that launched
  int64_t device;   // the process's number of the GPU
  StringId call;
  int64_t call_version;
  StringId kernel;

  friend bool operator==(const Key&, const Key&) = default;
  auto HashedFields() const { return std::tuple(thread, device, call, call_version, kernel); }
};

int64_t RecordedDevice(const Trace& trace, StreamId stream) {
  const int64_t recorded = trace.tables.streams.recorded_device[Index(stream)];
  return recorded != kMissing ? recorded
                              : trace.tables.devices.ordinal[Index(trace.DeviceOf(stream))];
}

class Launches {
 public:
  explicit Launches(ProfileView profile) : trace_(profile.trace) {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    const ApiCallsTable& api = trace_.tables.api;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      if (gpu.kind[g] != GpuKind::kKernel) continue;
      if (!IsSet(profile.facts.gpu.api[g])) {
        ++without_launch_;
        continue;
      }
      const size_t a = Index(profile.facts.gpu.api[g]);
      const size_t row =
          keys_.NumberOf({api.thread[a], RecordedDevice(trace_, gpu.stream[g]), api.name[a],
                          versions_.Of(api.args[a], trace_), gpu.name[g]});
      const TimeNs returned = api.start[a] + api.duration[a];
      const TimeNs finished = gpu.start[g] + gpu.duration[g];
      total_.Add(row, std::max(returned, finished) - api.start[a], g);
      api_.Add(row, api.duration[a], a);
      if (gpu.start[g] >= returned) queue_.Add(row, gpu.start[g] - returned, g);
      kernel_.Add(row, gpu.duration[g], g);
    }
  }

  void Write(RowSink& sink) const {
    const auto names_of = [&](size_t row) {
      const Key& key = keys_[row];
      return std::tuple(trace_.Text(key.kernel), trace_.Text(key.call), key.call_version,
                        key.thread, key.device);
    };
    auto summary = total_.SummarizeInOrder();
    std::sort(summary.begin(), summary.end(), [&](const auto& a, const auto& b) {
      if (a.statistics.average != b.statistics.average) {
        return a.statistics.average > b.statistics.average;
      }
      return names_of(a.number) < names_of(b.number);
    });
    // Every row has values in these, so they are indexed by row.
    const auto api = api_.SummarizeInOrder();
    const auto kernel = kernel_.SummarizeInOrder();
    std::vector<Statistics> queue(api.size());
    for (const auto& group : queue_.SummarizeInOrder()) queue[group.number] = group.statistics;
    WriteNotes(summary.empty(), sink);
    std::vector<Cell> cells;
    for (const auto& [row, total, longest] : summary) {
      const Key& key = keys_[row];
      const std::string call = NsightName(trace_.Text(key.call), key.call_version);
      cells.assign({PidCell(trace_, key.thread), TidCell(trace_, key.thread), key.device,
                    total.count, queue[row].count});
      AppendSpread(total, cells);
      AppendSpread(api[row].statistics, cells);
      if (queue[row].count > 0) {
        AppendSpread(queue[row], cells);
      } else {
        AppendNoSpread(cells);
      }
      AppendSpread(kernel[row].statistics, cells);
      cells.emplace_back(call);
      cells.emplace_back(trace_.Text(key.kernel));
      sink.Row(cells);
      sink.Link(RowLink::To(MakeId<GpuId>(longest)));
    }
  }

 private:
  void WriteNotes(bool nothing, RowSink& sink) const {
    sink.Note(nothing ? "The trace contains no kernels with a launch." : kWholeTraceNote);
    if (without_launch_ > 0) sink.Note("Kernels whose launch was not recorded are left out.");
  }

  const Trace& trace_;
  ApiVersions versions_;
  KeyNumbers<Key> keys_;
  ValueGroups total_, api_, queue_, kernel_;
  int64_t without_launch_ = 0;
};

void Compute(const ReportInput& input, RowSink& sink) { Launches(input.profile).Write(sink); }

}  // namespace

Report Define() {
  constexpr auto kNs = ColumnType::kDurationNs;
  return {
      "cuda_kern_exec_sum",
      "CUDA Kernel Launch & Exec Time Summary",
      "launch call, queue and kernel times of the whole trace (Nsight Systems' report)",
      {{"PID", ColumnType::kText, "process that launched"},
       {"TID", ColumnType::kText, "thread that launched"},
       {"DevId", ColumnType::kInteger, "GPU that ran the kernel, as its process numbers it"},
       {"Count", ColumnType::kInteger, "kernels in the whole trace; measured"},
       {"QCount", ColumnType::kInteger, "those that started after the call returned; measured"},
       {"TAvg (ns)", kNs, "start of the call to the later end of call or kernel: mean; measured"},
       {"TMed (ns)", kNs, "the same: median"},
       {"TMin (ns)", kNs, "the same: shortest"},
       {"TMax (ns)", kNs, "the same: longest"},
       {"TStdDev (ns)", kNs, "the same: standard deviation"},
       {"AAvg (ns)", kNs, "duration of the launch call: mean; measured"},
       {"AMed (ns)", kNs, "the same: median"},
       {"AMin (ns)", kNs, "the same: shortest"},
       {"AMax (ns)", kNs, "the same: longest"},
       {"AStdDev (ns)", kNs, "the same: standard deviation"},
       {"QAvg (ns)", kNs, "end of the call to start of the kernel, over QCount: mean; measured"},
       {"QMed (ns)", kNs, "the same: median"},
       {"QMin (ns)", kNs, "the same: shortest"},
       {"QMax (ns)", kNs, "the same: longest"},
       {"QStdDev (ns)", kNs, "the same: standard deviation"},
       {"KAvg (ns)", kNs, "duration of the kernel: mean; measured"},
       {"KMed (ns)", kNs, "the same: median"},
       {"KMin (ns)", kNs, "the same: shortest"},
       {"KMax (ns)", kNs, "the same: longest"},
       {"KStdDev (ns)", kNs, "the same: standard deviation"},
       {"API Name", ColumnType::kText, "function that launched"},
       {"Kernel Name", ColumnType::kText, "kernel name as recorded"}},
      Compute};
}

}  // namespace warpsight::reports::cuda_kern_exec_sum
