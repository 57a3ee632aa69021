#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/iterations/gpu_windows.h"
#include "analysis/report_parts/op_columns.h"
#include "base/intervals.h"

namespace warpsight::reports::iteration_kernels {
namespace {

// The total length of a union of intervals that are added in order of start.
class Union {
 public:
  void Add(Interval interval) {
    interval.start = std::max(interval.start, end_);
    if (interval.end <= interval.start) return;
    length_ += interval.end - interval.start;
    end_ = interval.end;
  }
  DurationNs length() const { return length_; }

 private:
  TimeNs end_ = INT64_MIN;
  DurationNs length_ = 0;
};

// The work that an iteration launched on one GPU.
struct OnGpu {
  DeviceId device;
  Interval window;
  Union kernels, tensor_core_kernels;  // within the window
};

struct Work {
  int64_t kernels = 0;
  int64_t tensor_core_kernels = 0;
  int64_t copies = 0;
  DurationNs time = 0;  // sum of the kernels' durations
  DurationNs tensor_core_time = 0;
  std::vector<OnGpu> gpus;  // GPUs that ran any of its kernels
};

// By iteration: the work that it launched.
std::vector<Work> CollectWork(ProfileView profile) {
  const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
  const IterationsTable& iterations = profile.facts.iterations;
  const std::vector<std::vector<Interval>> windows = WindowsByGpu(profile);
  std::vector<Work> work(RowCount(iterations));
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    const IterationId iteration = profile.facts.gpu.iteration[g];
    if (!IsSet(iteration)) continue;
    Work& to = work[Index(iteration)];
    if (gpu.kind[g] != GpuKind::kKernel) {
      ++to.copies;
      continue;
    }
    const DeviceId device = profile.trace.DeviceOf(gpu.stream[g]);
    auto on = std::find_if(to.gpus.begin(), to.gpus.end(),
                           [&](const OnGpu& known) { return known.device == device; });
    if (on == to.gpus.end()) {
      const auto number = static_cast<size_t>(iterations.number[Index(iteration)]);
      // A GPU whose work took no time has no windows.
      const std::vector<Interval>& of_device = windows[Index(device)];
      to.gpus.push_back({device, of_device.empty() ? Interval{0, 0} : of_device[number], {}, {}});
      on = to.gpus.end() - 1;
    }
    const Interval in_window{std::max(gpu.start[g], on->window.start),
                             std::min(gpu.start[g] + gpu.duration[g], on->window.end)};
    ++to.kernels;
    to.time += gpu.duration[g];
    on->kernels.Add(in_window);
    if (profile.facts.TensorCoresOf(gpu.name[g]) == TensorCores::kYes) {
      ++to.tensor_core_kernels;
      to.tensor_core_time += gpu.duration[g];
      on->tensor_core_kernels.Add(in_window);
    }
  }
  return work;
}

void Compute(const ReportInput& input, RowSink& sink) {
  const ProfileView profile = input.profile;
  const IterationsTable& iterations = profile.facts.iterations;
  const std::vector<Work> work = CollectWork(profile);
  if (!input.range.explanation.empty()) sink.Note(input.range.explanation);
  for (size_t i = 0; i < work.size(); ++i) {
    const Interval range{iterations.start[i], iterations.end[i]};
    const auto gpus = static_cast<int64_t>(work[i].gpus.size());
    DurationNs windows = 0, busy = 0, tensor_cores_busy = 0;
    for (const OnGpu& on : work[i].gpus) {
      windows += on.window.end - on.window.start;
      busy += on.kernels.length();
      tensor_cores_busy += on.tensor_core_kernels.length();
    }
    const auto average = [gpus](DurationNs sum) {
      return gpus == 0 ? Cell() : Cell((sum + gpus / 2) / gpus);
    };
    const auto percent = [windows](DurationNs part) {
      return windows <= 0 ? Cell()
                          : Cell(100.0 * static_cast<double>(part) / static_cast<double>(windows));
    };
    const Cell cells[] = {iterations.number[i],
                          YesNo(input.range.Contains(profile, MakeId<IterationId>(i))),
                          range.start,
                          range.end - range.start,
                          work[i].kernels,
                          work[i].tensor_core_kernels,
                          average(work[i].time),
                          percent(busy),
                          average(work[i].tensor_core_time),
                          percent(tensor_cores_busy),
                          Known(profile.trace.tables.sources.rank[Index(iterations.source[i])]),
                          work[i].copies,
                          average(windows)};
    sink.Row(cells);
    sink.Link(RowLink::To(range));
  }
}

}  // namespace

Report Define() {
  constexpr auto kNs = ColumnType::kDurationNs;
  return {"iteration_kernels",
          "Kernels by iteration",
          "every iteration with the kernels that it started and their time (DLProf's view)",
          {{"Iteration", ColumnType::kInteger, "number of the iteration, from 0"},
           {"Aggregated", ColumnType::kYesNo, "whether the other reports count it"},
           {"Start (ns)", kNs, "start on the CPU, from the start of the trace; measured"},
           {"Duration (ns)", kNs, "duration on the CPU; measured"},
           {"Kernels", ColumnType::kInteger, "kernels that the iteration started; derived"},
           {"TC Kernels", ColumnType::kInteger, "those that use Tensor Cores; from kernel names"},
           {"Avg. GPU Time (ns)", kNs,
            "plain sum of the durations of its kernels / GPUs that ran any of them; derived"},
           {"GPU Time (%)", ColumnType::kPercent,
            "share of the GPU window in which any of its kernels ran; derived"},
           {"Avg. TC GPU Time (ns)", kNs,
            "the same of the kernels that use Tensor Cores, over the same GPUs; derived"},
           {"TC GPU Time (%)", ColumnType::kPercent,
            "share of the GPU window in which any of those that use Tensor Cores ran; derived"},
           {"Rank", ColumnType::kInteger, "distributed rank, where recorded"},
           {"Copies and Memsets", ColumnType::kInteger, "that the iteration started; derived"},
           {"Avg. GPU Window (ns)", kNs,
            "from the end of the previous iteration to the end of this one on a GPU, averaged over "
            "the GPUs that ran any of its kernels; derived"}},
          Compute};
}

}  // namespace warpsight::reports::iteration_kernels
