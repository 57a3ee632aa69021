#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "analysis/accounting/ledger_lanes.h"
#include "analysis/accounting/range_summary.h"
#include "analysis/reporting/render.h"
#include "analysis/reporting/report.h"
#include "analysis/text/format.h"
#include "base/intervals.h"

namespace warpsight::reports::steps {
namespace {

void Compute(const ReportInput& input, RowSink& sink) {
  ProfileView profile = input.profile;
  const IterationsTable& iterations = profile.facts.iterations;
  if (!input.range.explanation.empty()) sink.Note(input.range.explanation);
  std::vector<Cell> cells;
  for (const LedgerLane& lane : ReadLedgerLanes(profile, input.range)) {
    const size_t i = Index(lane.iteration);
    const bool gpu = IsSet(lane.device);
    const bool aggregated = input.range.Contains(profile, lane.iteration);
    cells.assign({iterations.number[i], int64_t{aggregated ? 1 : 0}, iterations.start[i],
                  iterations.end[i] - iterations.start[i], iterations.reader[i], lane.window.start,
                  lane.Length()});
    for (const LedgerEntry entry : kGpuEntries) {
      cells.emplace_back(gpu ? Cell(lane.Of(entry)) : Cell());
    }
    for (const LedgerEntry entry : kHostEntries) cells.emplace_back(lane.Of(entry));
    cells.emplace_back(gpu ? Cell(lane.Busy()) : Cell());
    cells.emplace_back(gpu ? Cell(lane.kernels) : Cell());
    cells.emplace_back(gpu ? Cell(profile.trace.tables.devices.ordinal[Index(lane.device)])
                           : Cell());
    cells.emplace_back(profile.trace.tables.sources.rank[Index(iterations.source[i])]);
    sink.Row(cells);
    sink.Link(RowLink::To(Interval{iterations.start[i], iterations.end[i]}));
  }
}

// A unit in which the longest window has about three digits.
struct TimeUnit {
  std::string_view name;
  double ns;
};

TimeUnit UnitFor(const RangeSummary& range) {
  const DurationNs step = range.average_iteration;
  return step >= 1'000'000 ? TimeUnit{"milliseconds", 1e6}
         : step >= 1'000   ? TimeUnit{"microseconds", 1e3}
                           : TimeUnit{"nanoseconds", 1};
}

// By host entry: its column on a terminal, where several entries share a column.
constexpr std::array<size_t, kHostEntries.size()> kHostColumns = {0, 5, 1, 2, 2, 2, 2, 3, 4, 5};
constexpr std::array<std::string_view, 6> kHostColumnNames = {"Data", "I/O",   "Calls",
                                                              "Ops",  "Waits", "Rest"};

// Writes times in columns that fit a terminal: idle time is one column, and the host's entries are
// shown only if no GPU worked.
class ScaledRows : public RowSink {
 public:
  ScaledRows(RowSink& sink, bool gpus, TimeUnit unit) : sink_(sink), gpus_(gpus), unit_(unit) {}

  void Row(std::span<const Cell> cells) override {
    const auto ns = [&](size_t i) {
      const auto* value = std::get_if<int64_t>(&cells[i]);
      return value == nullptr ? 0 : *value;
    };
    std::vector<DurationNs> times = {ns(kStart), ns(kBatch), ns(kReader), ns(kWindow)};
    if (gpus_) {
      for (size_t i = 0; i < kBusyEntries; ++i) times.push_back(ns(kFirstGpuEntry + i));
      DurationNs idle = 0;
      for (size_t i = kBusyEntries; i < kGpuEntries.size(); ++i) idle += ns(kFirstGpuEntry + i);
      times.push_back(idle);
    } else {
      const size_t first = times.size();
      times.resize(first + kHostColumnNames.size());
      for (size_t i = 0; i < kHostEntries.size(); ++i) {
        times[first + kHostColumns[i]] += ns(kFirstHostEntry + i);
      }
    }
    std::vector<std::string> texts;
    texts.reserve(times.size());
    for (const DurationNs time : times) {
      texts.push_back(FormatFixed(static_cast<double>(time) / unit_.ns, unit_.ns > 1 ? 2 : 0));
    }
    std::vector<Cell> row(cells.begin(), cells.begin() + kStart);
    for (const std::string& text : texts) row.emplace_back(std::string_view(text));
    for (size_t i = kBusy + 1; i < cells.size(); ++i) row.push_back(cells[i]);
    sink_.Row(row);
  }
  void Note(std::string_view text) override { sink_.Note(text); }

 private:
  static constexpr size_t kStart = 2, kBatch = 3, kReader = 4, kWindow = 6, kFirstGpuEntry = 7;
  static constexpr size_t kBusyEntries = 4;
  static constexpr size_t kFirstHostEntry = kFirstGpuEntry + kGpuEntries.size();
  static constexpr size_t kBusy = kFirstHostEntry + kHostEntries.size();

  RowSink& sink_;
  bool gpus_;
  TimeUnit unit_;
};

std::string Text(const ReportInput& input, const TextStyle& style) {
  constexpr auto kMs = ColumnType::kReal;
  std::vector<ReportColumn> columns = {{"Step", ColumnType::kInteger, ""},
                                       {"Used", ColumnType::kYesNo, ""},
                                       {"Start", kMs, ""},
                                       {"Batch", kMs, ""},
                                       {"Reader", kMs, ""},
                                       {"Window", kMs, ""}};
  const bool gpus = !input.range.gpus.empty();
  std::vector<std::string_view> names = {"TC", "Other", "Comm", "Copies", "Idle"};
  if (!gpus) names.assign(kHostColumnNames.begin(), kHostColumnNames.end());
  for (const std::string_view name : names) columns.push_back({name, kMs, ""});
  for (const std::string_view name : {"Kernels", "GPU", "Rank"}) {
    columns.push_back({name, ColumnType::kInteger, ""});
  }
  const std::string title = fmt::format("Iterations, in {}", UnitFor(input.range).name);
  const Report table = {
      "steps", title, "", columns, [](const ReportInput& same, RowSink& sink) {
        const bool any_gpu = !same.range.gpus.empty();
        ScaledRows rows(sink, any_gpu, UnitFor(same.range));
        Compute(same, rows);
        sink.Note(
            any_gpu
                ? "Batch is the time on the CPU. Window, from the end of the previous step's work "
                  "to the end of its own work = TC (kernels using Tensor Cores) + Other "
                  "(kernels) + Comm (exposed communication) + Copies (exposed) + Idle. Kernels: "
                  "how many the step launched."
                : "Window = Data (data loading) + I/O + Calls (of CUDA) + Ops (and Python) + "
                  "Waits (for the GPU) + Rest (nothing recorded, and recording cost), on "
                  "the launching threads.");
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
       {"Reader Cost (ns)", kNs, "time in the data loader's next; measured"},
       {"Window Start (ns)", kNs,
        "end of the previous window on this GPU, from the start of the trace; the first begins "
        "with the iteration, or after earlier work of the GPU; derived"},
       {"Window (ns)", kNs,
        "from there to the end of the work that the iteration launched on this GPU, or of the "
        "iteration on the CPU if that is later; derived"},
       {"Tensor Core Kernels (ns)", kNs,
        "the twelve parts starting here sum to the window: kernels using Tensor Cores; derived"},
       {"Other Kernels (ns)", kNs, "other compute kernels, if none of the above; derived"},
       {"Exposed Communication (ns)", kNs, "collectives, if none of the above; derived"},
       {"Exposed Copies (ns)", kNs, "copies and memsets, if none of the above; derived"},
       {"Waiting For Data (ns)", kNs, "idle while the data loader ran; derived"},
       {"Host Synchronization (ns)", kNs, "idle after the host had waited; derived"},
       {"Allocation (ns)", kNs, "idle during cudaMalloc, cudaFree and the like; derived"},
       {"Host Work Before The Launch (ns)", kNs,
        "idle until the launch of the next work returned; derived"},
       {"Launch Latency (ns)", kNs, "idle after that, 50 us at most; derived"},
       {"Dependency (ns)", kNs, "idle while a stream waited; derived"},
       {"Waiting For Another Rank (ns)", kNs,
        "idle while a launched collective did not start; derived"},
       {"Unknown (ns)", kNs, "idle for a reason that the trace does not show; derived"},
       {"Data Loading (ns)", kNs,
        "the ten parts from here on cover the launching threads and sum to the window of their "
        "process; the first that applies counts: the data loader; derived"},
       {"Recording Cost (ns)", kNs, "the profiler's own work; derived"},
       {"I/O (ns)", kNs, "file access; derived"},
       {"Launches (ns)", kNs, "CUDA calls that start kernels and graphs; derived"},
       {"Copy Calls (ns)", kNs, "CUDA calls that start copies and memsets; derived"},
       {"Allocation Calls (ns)", kNs, "CUDA calls that allocate and free; derived"},
       {"Other CUDA Calls (ns)", kNs, "those that do not wait for the GPU; derived"},
       {"Ops And Python (ns)", kNs, "framework ops and Python frames; derived"},
       {"Waiting For The GPU (ns)", kNs, "CUDA calls in which the host waits; derived"},
       {"Nothing Recorded (ns)", kNs, "the rest; derived"},
       {"GPU Busy (ns)", kNs, "union of kernels, copies and memsets in the window; derived"},
       {"Kernels", ColumnType::kInteger, "kernels that the iteration launched; derived"},
       {"GPU", ColumnType::kInteger, "number of the GPU in its process"},
       {"Rank", ColumnType::kInteger, "distributed rank, where recorded"}},
      Compute,
      Text};
}

}  // namespace warpsight::reports::steps
