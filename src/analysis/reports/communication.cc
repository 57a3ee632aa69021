#include <string>
#include <vector>

#include <fmt/format.h>

#include "analysis/aggregation/communication_table.h"
#include "analysis/report_parts/op_columns.h"
#include "analysis/report_parts/roofline_columns.h"
#include "analysis/reporting/render_columns.h"
#include "analysis/text/format.h"

namespace warpsight::reports::communication {

Report Define();

namespace {

std::string GroupName(const Collective& about) {
  if (about.group.empty()) return std::string(about.group_description);
  if (about.group_description.empty()) return std::string(about.group);
  return fmt::format("{} ({})", about.group, about.group_description);
}

void NoteTotals(const ReportInput& input, const CommunicationTable& table, RowSink& sink) {
  if (table.uses.empty()) {
    sink.Note(RowCount(input.profile.trace.tables.gpu) == 0
                  ? "No GPU work was recorded."
                  : "No kernel of the analyzed steps is a collective.");
    return;
  }
  const RangeSummary& range = input.range;
  const DurationNs exposed = range.communication - range.overlapped_communication;
  const CommunicationTime all{range.communication, exposed};
  sink.Note(fmt::format(
      "Communication takes {} in the analyzed steps{}: {:.1f} % of it overlaps compute kernels, {} "
      "is exposed.",
      FormatDuration(static_cast<double>(all.total)),
      range.gpus.size() > 1 ? " of all GPUs together" : "", all.OverlapPercent(),
      FormatDuration(static_cast<double>(all.exposed))));
  bool without_bytes = false;
  bool without_group = false;
  for (const CollectiveUse& use : table.uses) {
    if (use.about.kind == CollectiveKind::kBarrier) continue;
    without_bytes |= use.algorithm_bandwidth < 0;
    without_group |= use.about.group_size == kMissing;
  }
  if (without_bytes) {
    sink.Note("Bandwidths are empty if the trace does not contain the message size.");
  }
  if (without_group) {
    sink.Note("Bus bandwidths are empty if the trace does not contain the group size.");
  }
}

void Compute(const ReportInput& input, RowSink& sink) {
  const CommunicationTable table = MakeCommunicationTable(input);
  const TraceTables& tables = input.profile.trace.tables;
  NoteTotals(input, table, sink);
  std::vector<Cell> cells;
  for (const CollectiveUse& use : table.uses) {
    const size_t device = Index(use.device);
    const Collective& about = use.about;
    const std::string group = GroupName(about);
    const double factor = about.BusFactor();
    const auto bus = [factor](double bandwidth) {
      return factor < 0 || bandwidth < 0 ? Cell() : Cell(factor * bandwidth / 1e9);
    };
    cells.assign({Cell(ToString(about.kind)), TextCell(about.name), TextCell(group),
                  Known(about.group_size), TextCell(about.dtype), Cell(use.count),
                  Cell(use.time.total), Cell(use.time.exposed), RealCell(use.time.OverlapPercent()),
                  CountCell(use.bytes_in), CountCell(use.bytes_out),
                  RealCell(use.algorithm_bandwidth, 1e9), bus(use.algorithm_bandwidth),
                  bus(use.best_algorithm_bandwidth), Cell(use.shortest), Cell(use.longest),
                  Known(tables.devices.ordinal[device]),
                  Known(tables.sources.rank[Index(tables.devices.source[device])])});
    sink.Row(cells);
    sink.Link(RowLink::To(use.longest_kernel));
  }
}

std::string Text(const ReportInput& input, const TextStyle& style) {
  // With several GPUs, this column distinguishes their rows.
  if (input.range.gpus.size() > 1) {
    return RenderColumns(Define(),
                         {"Collective", "GPU", "Rank", "Calls", "Total Time (ns)", "Exposed (ns)",
                          "Overlap (%)", "Bytes In", "Bus Bandwidth (GB/s)"},
                         input, style);
  }
  return RenderColumns(Define(),
                       {"Collective", "Calls", "Total Time (ns)", "Exposed (ns)", "Overlap (%)",
                        "Bytes In", "Bus Bandwidth (GB/s)"},
                       input, style);
}

}  // namespace

Report Define() {
  constexpr auto kNs = ColumnType::kDurationNs;
  return {"communication",
          "Communication",
          "collectives: time, exposed time, bytes and bandwidth",
          {{"Collective", ColumnType::kText, "kind of collective; derived from the recorded name"},
           {"Name", ColumnType::kText, "name that the framework recorded"},
           {"Process Group", ColumnType::kText, "name and description of the group, as recorded"},
           {"Group Size", ColumnType::kInteger, "ranks in the group, as recorded"},
           {"Data Type", ColumnType::kText, "type of the elements, as recorded"},
           {"Calls", ColumnType::kInteger, "kernels that ran in the analyzed steps; measured"},
           {"Total Time (ns)", kNs, "union of these kernels in the analyzed steps; derived"},
           {"Exposed (ns)", kNs, "of that, while no compute kernel ran on this GPU; derived"},
           {"Overlap (%)", ColumnType::kPercent,
            "share of the total time that overlaps compute kernels; derived"},
           {"Bytes In", ColumnType::kBytes, "input bytes of this rank; derived"},
           {"Bytes Out", ColumnType::kBytes, "output bytes of this rank; derived"},
           {"Algorithm Bandwidth (GB/s)", ColumnType::kReal,
            "messages / durations, in 10^9 bytes per second, as NCCL's tests count; includes "
            "waiting for other ranks; derived"},
           {"Bus Bandwidth (GB/s)", ColumnType::kReal,
            "the same times the factor of the collective: all_reduce 2(n-1)/n; all_gather, "
            "reduce_scatter, all_to_all, gather, scatter (n-1)/n; others 1; derived"},
           {"Best Bus Bandwidth (GB/s)", ColumnType::kReal,
            "of the fastest kernel, which waited least; derived"},
           {"Min Time (ns)", kNs, "the shortest one; measured"},
           {"Max Time (ns)", kNs, "the longest one; measured"},
           {"GPU", ColumnType::kInteger, "number of the GPU in its process"},
           {"Rank", ColumnType::kInteger, "distributed rank, where recorded"}},
          Compute,
          Text};
}

}  // namespace warpsight::reports::communication
