#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/facts/breakdown.h"
#include "analysis/facts/gpu_windows.h"
#include "analysis/facts/gpu_work.h"
#include "analysis/facts/range_names.h"
#include "analysis/reporting/format.h"
#include "analysis/reporting/render.h"
#include "analysis/reporting/report.h"

namespace warpsight::reports::steps {
namespace {

// One GPU, or the CPU side of a file without GPU work.
struct Lane {
  SourceId source;
  DeviceId device;
  IntervalSet busy;
  Breakdown breakdown;
};

std::vector<Lane> CollectLanes(ProfileView profile) {
  const Trace& trace = profile.trace;
  const std::vector<GpuWork> gpus = CollectGpuWork(trace, profile.facts);
  const std::vector<HostWork> hosts = CollectHostWork(trace, profile.facts);
  std::vector<Lane> lanes;
  std::vector<bool> has_lane(hosts.size());
  for (size_t d = 0; d < gpus.size(); ++d) {
    IntervalSet busy = gpus[d].All();
    if (busy.empty()) continue;
    const SourceId source = trace.tables.devices.source[d];
    has_lane[Index(source)] = true;
    lanes.push_back(
        {source, MakeId<DeviceId>(d), std::move(busy), Breakdown(gpus[d], hosts[Index(source)])});
  }
  for (size_t s = 0; s < hosts.size(); ++s) {
    if (has_lane[s]) continue;
    lanes.push_back({MakeId<SourceId>(s), kNone<DeviceId>, {}, Breakdown({}, hosts[s])});
  }
  return lanes;
}

// By iteration: time in the loader's next.
std::vector<DurationNs> ReaderCosts(ProfileView profile) {
  const HostRangesTable& host = profile.trace.tables.host;
  RangeNames names(profile.trace);
  std::vector<DurationNs> costs(profile.facts.iterations.start.size());
  for (size_t h = 0; h < host.start.size(); ++h) {
    const IterationId iteration = profile.facts.host.iteration[h];
    if (host.kind[h] != HostKind::kAnnotation || !IsSet(iteration)) continue;
    if (names[host.name[h]].loader_next) costs[Index(iteration)] += host.duration[h];
  }
  return costs;
}

// By iteration and device: kernels that the iteration launched.
std::vector<std::vector<int64_t>> LaunchedKernels(ProfileView profile) {
  const TraceTables& tables = profile.trace.tables;
  std::vector<std::vector<int64_t>> counts(profile.facts.iterations.start.size(),
                                           std::vector<int64_t>(tables.devices.ordinal.size()));
  for (size_t g = 0; g < tables.gpu.start.size(); ++g) {
    const IterationId iteration = profile.facts.gpu.iteration[g];
    if (tables.gpu.kind[g] != GpuKind::kKernel || !IsSet(iteration)) continue;
    ++counts[Index(iteration)][Index(profile.trace.DeviceOf(tables.gpu.stream[g]))];
  }
  return counts;
}

void Compute(const ReportInput& input, RowSink& sink) {
  ProfileView profile = input.profile;
  const IterationsTable& iterations = profile.facts.iterations;
  const std::vector<Lane> lanes = CollectLanes(profile);
  const std::vector<DurationNs> reader = ReaderCosts(profile);
  const std::vector<std::vector<int64_t>> kernels = LaunchedKernels(profile);
  const std::vector<std::vector<Interval>> windows = ComputeGpuWindows(profile);
  if (!input.range.explanation.empty()) sink.Note(input.range.explanation);
  std::vector<Cell> cells;
  for (size_t i = 0; i < iterations.start.size(); ++i) {
    const Interval range{iterations.start[i], iterations.end[i]};
    for (const Lane& lane : lanes) {
      if (lane.source != iterations.source[i]) continue;
      const bool gpu = IsSet(lane.device);
      const Interval window =
          gpu ? windows[Index(lane.device)][static_cast<size_t>(iterations.number[i])] : range;
      const bool aggregated = input.range.Contains(profile, MakeId<IterationId>(i));
      cells.assign({iterations.number[i], int64_t{aggregated ? 1 : 0}, range.start,
                    range.end - range.start, gpu ? Cell(window.start) : Cell(),
                    gpu ? Cell(window.end - window.start) : Cell(), reader[i]});
      for (const DurationNs part : lane.breakdown.Within(window)) cells.emplace_back(part);
      cells.emplace_back(gpu ? Cell(lane.busy.LengthWithin(window)) : Cell());
      cells.emplace_back(gpu ? Cell(kernels[i][Index(lane.device)]) : Cell());
      cells.emplace_back(gpu ? Cell(profile.trace.tables.devices.ordinal[Index(lane.device)])
                             : Cell());
      cells.emplace_back(profile.trace.tables.sources.rank[Index(lane.source)]);
      sink.Row(cells);
      sink.Link(RowLink::To(range));
    }
  }
}

// Milliseconds in columns that fit a terminal.
class MillisecondRows : public RowSink {
 public:
  explicit MillisecondRows(RowSink& sink) : sink_(sink) {}

  void Row(std::span<const Cell> cells) override {
    std::vector<Cell> row(cells.begin(), cells.end());
    std::array<std::string, kLastTime + 1> texts;
    for (size_t i = kFirstTime; i <= kLastTime; ++i) {
      if (const auto* ns = std::get_if<int64_t>(&cells[i])) {
        texts[i] = FormatFixed(static_cast<double>(*ns) / 1e6, 2);
        row[i] = texts[i];
      }
    }
    sink_.Row(row);
  }
  void Note(std::string_view text) override { sink_.Note(text); }

  static constexpr size_t kFirstTime = 2, kLastTime = 15;

 private:
  RowSink& sink_;
};

std::string Text(const ReportInput& input, const TextStyle& style) {
  constexpr auto kMs = ColumnType::kReal;
  const Report table = {
      "steps",
      "Iterations, in milliseconds",
      "",
      {{"Step", ColumnType::kInteger, ""},
       {"Used", ColumnType::kYesNo, ""},
       {"Start", kMs, ""},
       {"Batch", kMs, ""},
       {"GPU Start", kMs, ""},
       {"Window", kMs, ""},
       {"Reader", kMs, ""},
       {"TC", kMs, ""},
       {"Kernels", kMs, ""},
       {"Comm", kMs, ""},
       {"Memory", kMs, ""},
       {"Data", kMs, ""},
       {"I/O", kMs, ""},
       {"CPU", kMs, ""},
       {"Other", kMs, ""},
       {"Busy", kMs, ""},
       {"Launches", ColumnType::kInteger, ""},
       {"GPU", ColumnType::kInteger, ""},
       {"Rank", ColumnType::kInteger, ""}},
      [](const ReportInput& same, RowSink& sink) {
        MillisecondRows rows(sink);
        Compute(same, rows);
        sink.Note(
            "Batch is the time on the CPU; Window, on the GPU, lasts from the end "
            "of the previous step to the end of this one. Window = TC (kernels "
            "using Tensor Cores) + Kernels (others) + Comm + Memory + Data + I/O + "
            "CPU + Other, each where none before it; without a GPU these are "
            "parts of Batch.");
      }};
  StringOutput output;
  RenderReport(table, input, ReportFormat::kText, style, output);
  return output.text();
}

}  // namespace

Report Define() {
  constexpr auto kNs = ColumnType::kDurationNs;
  return {
      "steps",
      "Iterations",
      "every iteration: batch cost, reader cost and where its time went",
      {{"Iteration", ColumnType::kInteger, "number of the iteration, from 0"},
       {"Aggregated", ColumnType::kYesNo, "whether the other reports count it"},
       {"Start (ns)", kNs, "start on the CPU, from the start of the trace; measured"},
       {"Batch Cost (ns)", kNs, "duration on the CPU; measured"},
       {"GPU Window Start (ns)", kNs,
        "end of the previous iteration's GPU window, from the start of the trace; the first "
        "begins on the CPU, or behind earlier work of the GPU; derived"},
       {"GPU Window (ns)", kNs,
        "from there to the last GPU work that the iteration launched, or to its end on the CPU "
        "where that is later; derived"},
       {"Reader Cost (ns)", kNs, "time in the data loader's next; measured"},
       {"Tensor Core Kernels (ns)", kNs,
        "the eight parts from here on sum to the GPU window, without a GPU to the batch cost: "
        "kernels using Tensor Cores; derived"},
       {"Other Kernels (ns)", kNs, "other compute kernels, where none of the above; derived"},
       {"Communication (ns)", kNs, "collectives, where none of the above; derived"},
       {"Memory (ns)", kNs, "copies and memsets, where none of the above; derived"},
       {"Data Loading (ns)", kNs, "the data loader, where none of the above; derived"},
       {"I/O (ns)", kNs, "file access, where none of the above; derived"},
       {"CPU (ns)", kNs, "framework ops and API calls, where none of the above; derived"},
       {"Other (ns)", kNs, "the rest; derived"},
       {"GPU Busy (ns)", kNs, "union of kernels, copies and memsets in the GPU window; derived"},
       {"Kernels", ColumnType::kInteger, "kernels that the iteration launched; derived"},
       {"GPU", ColumnType::kInteger, "number of the GPU in its process"},
       {"Rank", ColumnType::kInteger, "distributed rank, where recorded"}},
      Compute,
      Text};
}

}  // namespace warpsight::reports::steps
