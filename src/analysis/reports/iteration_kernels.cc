#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/reporting/op_columns.h"

namespace warpsight::reports::iteration_kernels {
namespace {

struct Work {
  int64_t kernels = 0;
  int64_t tensor_core_kernels = 0;
  int64_t copies = 0;
  DurationNs time = 0;  // of the kernels, plain sum
  DurationNs tensor_core_time = 0;
  std::vector<DeviceId> gpus;  // with kernels; few
};

// By iteration: what it launched.
std::vector<Work> CollectWork(ProfileView profile) {
  const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
  std::vector<Work> work(RowCount(profile.facts.iterations));
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    const IterationId iteration = profile.facts.gpu.iteration[g];
    if (!IsSet(iteration)) continue;
    Work& to = work[Index(iteration)];
    if (gpu.kind[g] != GpuKind::kKernel) {
      ++to.copies;
      continue;
    }
    ++to.kernels;
    to.time += gpu.duration[g];
    if (profile.facts.TensorCoresOf(gpu.name[g]) == TensorCores::kYes) {
      ++to.tensor_core_kernels;
      to.tensor_core_time += gpu.duration[g];
    }
    const DeviceId device = profile.trace.DeviceOf(gpu.stream[g]);
    if (std::find(to.gpus.begin(), to.gpus.end(), device) == to.gpus.end()) {
      to.gpus.push_back(device);
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
    const Interval window{iterations.start[i], iterations.end[i]};
    const DurationNs duration = window.end - window.start;
    const auto gpus = static_cast<int64_t>(work[i].gpus.size());
    const auto average = [gpus](DurationNs sum) {
      return gpus == 0 ? Cell() : Cell((sum + gpus / 2) / gpus);
    };
    const auto percent = [gpus, duration](DurationNs sum) {
      return gpus == 0 || duration <= 0
                 ? Cell()
                 : Cell(100.0 * static_cast<double>(sum) / static_cast<double>(gpus * duration));
    };
    const Cell cells[] = {iterations.number[i],
                          YesNo(input.range.Contains(profile, MakeId<IterationId>(i))),
                          window.start,
                          duration,
                          work[i].kernels,
                          work[i].tensor_core_kernels,
                          average(work[i].time),
                          percent(work[i].time),
                          average(work[i].tensor_core_time),
                          percent(work[i].tensor_core_time),
                          Known(profile.trace.tables.sources.rank[Index(iterations.source[i])]),
                          work[i].copies};
    sink.Row(cells);
    sink.Link(RowLink::To(window));
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
            "that / duration; above 100 where kernels overlap or the GPU lags behind; derived"},
           {"Avg. TC GPU Time (ns)", kNs,
            "the same of the kernels that use Tensor Cores, over the same GPUs; derived"},
           {"TC GPU Time (%)", ColumnType::kPercent, "that / duration; derived"},
           {"Rank", ColumnType::kInteger, "distributed rank, where recorded"},
           {"Copies and Memsets", ColumnType::kInteger, "that the iteration started; derived"}},
          Compute};
}

}  // namespace warpsight::reports::iteration_kernels
