#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>

#include "analysis/report_parts/summary_table.h"
#include "analysis/text/format.h"
#include "model/hash_map.h"

namespace warpsight::reports::gaps {
namespace {

// The gaps within the aggregated windows, cut at their boundaries.
class Gaps {
 public:
  explicit Gaps(const ReportInput& input) : profile_(input.profile) {
    const GapsTable& gaps = profile_.facts.gaps;
    for (size_t i = 0; i < gaps.start.size(); ++i) {
      const Interval part = input.range.PartOfGap(profile_, i);
      const DurationNs length = part.end - part.start;
      if (length <= 0) continue;
      const auto cause = static_cast<size_t>(gaps.cause[i]);
      by_cause_.Add(cause, length, i);
      by_op_[cause][OpOf(i)] += length;
    }
  }

  void Write(const RangeSummary& range, RowSink& sink) const {
    const auto percent = [](DurationNs part, DurationNs whole) {
      return whole == 0 ? Cell()
                        : Cell(100.0 * static_cast<double>(part) / static_cast<double>(whole));
    };
    for (const auto& [cause, s, longest] : by_cause_.Summarize(std::less<>())) {
      const auto [op, op_time] = MainOp(cause);
      const Cell cells[] = {ToString(static_cast<IdleCause>(cause)),
                            s.count,
                            s.total,
                            percent(s.total, range.idle),
                            percent(s.total, range.capacity),
                            s.average,
                            s.max,
                            op,
                            percent(op_time, s.total),
                            NextWork(longest)};
      sink.Row(cells);
      sink.Link(RowLink::To(range.PartOfGap(profile_, longest)));
    }
  }

 private:
  // The op named by a gap's cause, as reports count it; empty if the gap occurred outside ops.
  StringId OpOf(size_t gap) const {
    HostId op = profile_.facts.gaps.op[gap];
    if (!IsSet(op)) return StringId::kEmpty;
    if (const HostId counted = profile_.facts.host.op[Index(op)]; IsSet(counted)) op = counted;
    return profile_.trace.tables.host.name[Index(op)];
  }

  // The op behind most of the time of a cause, and the op's part of that time.
  std::pair<Cell, DurationNs> MainOp(size_t cause) const {
    StringId op = StringId::kEmpty;
    DurationNs most = 0;
    for (const auto& [name, time] : by_op_[cause]) {
      if (time > most || (time == most && name < op)) {
        op = name;
        most = time;
      }
    }
    return {op == StringId::kEmpty ? Cell("(outside ops)") : Cell(profile_.trace.Text(op)), most};
  }

  // The GPU work that ended a gap.
  Cell NextWork(size_t gap) const {
    const GpuId next = profile_.facts.gaps.next[gap];
    if (!IsSet(next)) return {};
    const GpuActivitiesTable& gpu = profile_.trace.tables.gpu;
    const FactTables& facts = profile_.facts;
    const StringId name = gpu.name[Index(next)];
    const bool kernel = gpu.kind[Index(next)] == GpuKind::kKernel;
    return profile_.trace.Text(kernel ? facts.kernel_names.short_name[facts.KernelRow(name)]
                                      : name);
  }

  ProfileView profile_;
  ValueGroups by_cause_;
  std::array<HashMap<StringId, DurationNs>, kIdleCauseCount> by_op_;
};

// "iteration 3", "iterations 1 to 4"
std::string Steps(const RangeSummary& range) {
  if (range.first == range.last) return fmt::format("iteration {}", range.first);
  return fmt::format("iterations {} to {}", range.first, range.last);
}

void Compute(const ReportInput& input, RowSink& sink) {
  const RangeSummary& range = input.range;
  Gaps(input).Write(range, sink);
  if (range.busy == 0) {
    sink.Note("No GPU work was recorded in the analyzed steps, so idle time is unknown.");
    return;
  }
  sink.Note(fmt::format(
      "In {} {} ran nothing for {} of {} ({}).", Steps(range),
      range.gpus.size() == 1 ? "the GPU" : fmt::format("{} GPUs together", range.gpus.size()),
      FormatDuration(static_cast<double>(range.idle)),
      FormatDuration(static_cast<double>(range.capacity)),
      FormatShare(static_cast<double>(range.idle), static_cast<double>(range.capacity))));
  if (range.synchronizations > 0) {
    sink.Note(fmt::format("The host waited for the GPU {} time{} (host synchronizations).",
                          FormatCount(range.synchronizations),
                          range.synchronizations == 1 ? "" : "s"));
  }
}

}  // namespace

Report Define() {
  constexpr auto kNs = ColumnType::kDurationNs;
  return {"gaps",
          "Why the GPU was idle",
          "intervals of the analyzed steps in which a GPU was idle, by cause",
          {{"Cause", ColumnType::kText, "why; derived"},
           {"Count", ColumnType::kInteger, "intervals, or parts of them, with this cause; derived"},
           {"Total (ns)", kNs, "sum over all GPUs; the causes sum to the idle time; derived"},
           {"Idle (%)", ColumnType::kPercent, "share of the idle time; derived"},
           {"Wall (%)", ColumnType::kPercent, "share of the analyzed time; derived"},
           {"Avg (ns)", kNs, "mean; derived"},
           {"Max (ns)", kNs, "longest; derived"},
           {"Op", ColumnType::kText, "op on the CPU behind most of the time; derived"},
           {"Op (%)", ColumnType::kPercent, "that op's share of the cause's time; derived"},
           {"Next GPU Work", ColumnType::kText, "kernel or copy that ended the longest one"}},
          Compute};
}

}  // namespace warpsight::reports::gaps
