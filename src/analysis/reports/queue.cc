#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/report_parts/op_columns.h"
#include "analysis/reporting/render_columns.h"

namespace warpsight::reports::queue {

Report Define();

namespace {

// The number of intervals that contain a moment: averages and maxima within windows.
class Level {
 public:
  void Add(TimeNs from, TimeNs to) {
    if (to <= from) return;
    changes_.emplace_back(from, 1);
    changes_.emplace_back(to, -1);
  }

  // Must be called after the last Add().
  void Finish() {
    // At equal times, ends come first: otherwise a level would exist for an empty interval.
    std::sort(changes_.begin(), changes_.end());
    levels_.reserve(changes_.size());
    int64_t level = 0;
    for (const auto& [time, change] : changes_) levels_.push_back(level += change);
  }

  struct Within {
    double mean = 0;
    int64_t max = 0;
    DurationNs empty = 0;
  };
  Within In(Interval window) const {
    Within result;
    const auto first = std::upper_bound(
        changes_.begin(), changes_.end(), window.start,
        [](TimeNs time, const std::pair<TimeNs, int>& change) { return time < change.first; });
    auto i = static_cast<size_t>(first - changes_.begin());
    int64_t level = i == 0 ? 0 : levels_[i - 1];
    double sum = 0;
    for (TimeNs at = window.start; at < window.end; ++i) {
      const TimeNs until =
          i < changes_.size() ? std::min(changes_[i].first, window.end) : window.end;
      if (until > at) {
        result.max = std::max(result.max, level);
        sum += static_cast<double>(level) * static_cast<double>(until - at);
        if (level == 0) result.empty += until - at;
        at = until;
      }
      if (i < changes_.size()) level = levels_[i];
    }
    result.mean = sum / static_cast<double>(window.end - window.start);
    return result;
  }

 private:
  std::vector<std::pair<TimeNs, int>> changes_;
  std::vector<int64_t> levels_;  // the level after each change
};

// A stream, or all streams of a GPU together.
struct Queue {
  DeviceId device = kNone<DeviceId>;
  StreamId stream = kNone<StreamId>;
  Level waiting;      // launched, not yet started: drawn by the timeline
  Level outstanding;  // launched, not yet finished
  bool any = false;
};

std::vector<Queue> CollectQueues(ProfileView profile) {
  const Trace& trace = profile.trace;
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  const ApiCallsTable& api = trace.tables.api;
  const size_t devices = RowCount(trace.tables.devices);
  std::vector<Queue> queues(devices + RowCount(trace.tables.streams));
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    const ApiId call = profile.facts.gpu.api[g];
    if (!IsSet(call)) continue;
    const TimeNs launch = api.start[Index(call)] + api.duration[Index(call)];
    const TimeNs start = gpu.start[g];
    const TimeNs end = start + gpu.duration[g];
    const DeviceId device = trace.DeviceOf(gpu.stream[g]);
    for (const size_t row : {Index(device), devices + Index(gpu.stream[g])}) {
      Queue& queue = queues[row];
      queue.any = true;
      queue.device = device;
      if (row >= devices) queue.stream = gpu.stream[g];
      queue.waiting.Add(launch, start);
      // Work that starts before its call returns is outstanding from its start.
      queue.outstanding.Add(std::min(launch, start), end);
    }
  }
  for (Queue& queue : queues) {
    queue.waiting.Finish();
    queue.outstanding.Finish();
  }
  // For a GPU with one stream, the sum over all streams would be the same.
  std::vector<size_t> streams(devices);
  for (const Queue& queue : queues) {
    if (queue.any && IsSet(queue.stream)) ++streams[Index(queue.device)];
  }
  std::erase_if(queues, [&streams](const Queue& queue) {
    return !queue.any || (!IsSet(queue.stream) && streams[Index(queue.device)] == 1);
  });
  std::stable_sort(queues.begin(), queues.end(),
                   [](const Queue& a, const Queue& b) { return a.device < b.device; });
  return queues;
}

void Compute(const ReportInput& input, RowSink& sink) {
  const ProfileView profile = input.profile;
  const TraceTables& tables = profile.trace.tables;
  const IterationsTable& iterations = profile.facts.iterations;
  const std::vector<Queue> queues = CollectQueues(profile);
  if (queues.empty()) {
    sink.Note("The launches of GPU work were not recorded, so the queue depth is unknown.");
    return;
  }
  std::vector<Cell> cells;
  for (size_t i = 0; i < iterations.start.size(); ++i) {
    const Interval window{iterations.start[i], iterations.end[i]};
    if (window.end <= window.start) continue;
    const auto share = [&window](DurationNs part) {
      return Cell(100.0 * static_cast<double>(part) /
                  static_cast<double>(window.end - window.start));
    };
    for (const Queue& queue : queues) {
      const SourceId source = tables.devices.source[Index(queue.device)];
      if (source != iterations.source[i]) continue;
      const Level::Within waiting = queue.waiting.In(window);
      const Level::Within outstanding = queue.outstanding.In(window);
      cells.assign(
          {Cell(iterations.number[i]), YesNo(input.range.Contains(profile, MakeId<IterationId>(i))),
           Known(tables.devices.ordinal[Index(queue.device)]),
           IsSet(queue.stream) ? Known(tables.streams.stream[Index(queue.stream)]) : Cell(),
           Cell(waiting.mean), Cell(waiting.max), share(waiting.empty), Cell(outstanding.mean),
           Cell(outstanding.max), share(outstanding.empty),
           share(window.end - window.start - outstanding.empty), Cell(window.end - window.start),
           Known(tables.sources.rank[Index(source)])});
      sink.Row(cells);
      sink.Link(RowLink::To(window));
    }
  }
}

std::string Text(const ReportInput& input, const TextStyle& style) {
  return RenderColumns(Define(),
                       {"Iteration", "GPU", "Stream", "Mean Queue Depth", "Max Queue Depth",
                        "Mean Outstanding", "Nothing Outstanding (%)"},
                       input, style);
}

}  // namespace

Report Define() {
  return {
      "queue",
      "Queue depth",
      "how much launched work waited for the GPU, by iteration and stream",
      {{"Iteration", ColumnType::kInteger, "number of the iteration, from 0"},
       {"Aggregated", ColumnType::kYesNo, "whether the other reports count it"},
       {"GPU", ColumnType::kInteger, "number of the GPU in its process"},
       {"Stream", ColumnType::kInteger,
        "number of the stream; empty for all streams of the GPU together"},
       {"Mean Queue Depth", ColumnType::kReal,
        "kernels, copies and memsets that were launched but not started, averaged over "
        "the iteration's time on the CPU; derived"},
       {"Max Queue Depth", ColumnType::kInteger, "the most of them at a time; derived"},
       {"Queue Empty (%)", ColumnType::kPercent,
        "share of the time with an empty queue: the GPU runs its last launch, or nothing; derived"},
       {"Mean Outstanding", ColumnType::kReal,
        "launched but not finished: the queue and running work; derived"},
       {"Max Outstanding", ColumnType::kInteger, "the most of them at a time; derived"},
       {"Nothing Outstanding (%)", ColumnType::kPercent,
        "share of the time with none: the GPU waits for launches; derived"},
       {"Something Outstanding (%)", ColumnType::kPercent, "the rest of the time; derived"},
       {"Time (ns)", ColumnType::kDurationNs, "duration of the iteration on the CPU; measured"},
       {"Rank", ColumnType::kInteger, "distributed rank, where recorded"}},
      Compute,
      Text};
}

}  // namespace warpsight::reports::queue
