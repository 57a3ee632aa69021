#include <cstdint>
#include <string>

#include "analysis/aggregation/report_cache.h"
#include "analysis/report_parts/op_columns.h"
#include "analysis/report_parts/op_notes.h"
#include "analysis/report_parts/roofline_columns.h"
#include "analysis/reporting/render_columns.h"

namespace warpsight::reports::roofline {

Report Define();

namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;
constexpr double kPercent = 0.01;

void Compute(const ReportInput& input, RowSink& sink) {
  const auto op_table = OpTableOf(input);
  const OpTable& ops = *op_table;
  const auto costs = OpCostsOf(input, ops);
  const CostModel& model = costs->model;
  const RooflineTable& table = costs->table;
  for (const uint32_t row : ops.RowsByTime()) {
    const Op& op = ops.ops()[row];
    const CostedWork& work = table.ops()[row];
    if (work.calls == 0) continue;
    const bool known = work.known();
    const Roofline roofline = work.Against(model.peaks());
    const Cell cells[] = {Cell(op.id),
                          Cell(op.name),
                          DirectionOf(op),
                          Cell(op.type),
                          work.calls,
                          work.time,
                          work.known_calls,
                          known ? TextCell(work.cost.family) : Cell(),
                          NumberFormatCell(work),
                          known ? CountCell(work.cost.flops) : Cell(),
                          known ? CountCell(work.cost.bytes) : Cell(),
                          RealCell(roofline.intensity),
                          RealCell(roofline.flop_rate, kTera),
                          RealCell(roofline.byte_rate, kGiga),
                          RealCell(roofline.compute_share, kPercent),
                          RealCell(roofline.bandwidth_share, kPercent),
                          TextCell(ToString(roofline.limit)),
                          TextCell(ToString(roofline.quadrant)),
                          CostSourceCell(work),
                          MeasuredBytesCell(work.counters),
                          MeasuredBandwidthCell(work.counters, model.peaks())};
    sink.Row(cells);
    sink.Link(op.Place());
  }
  NoteAboutOps(input, ops, sink);
  NoteAboutRoofline(input, model, table, sink);
}

std::string Text(const ReportInput& input, const TextStyle& style) {
  return RenderColumns(Define(),
                       {"Op Name", "Direction", "GPU Time (ns)", "TFLOP/s", "GB/s", "Compute (%)",
                        "Memory (%)", "Limit"},
                       input, style);
}

}  // namespace

Report Define() {
  return {"roofline",
          "Roofline",
          "FLOPs and bytes of each op, the achieved rates, and the limit",
          {kOpIdColumn,
           kOpNameColumn,
           kDirectionColumn,
           kOpTypeColumn,
           {"No. Calls", ColumnType::kInteger, "calls that started GPU work; measured"},
           {"GPU Time (ns)", ColumnType::kDurationNs,
            "of those calls: union of their kernels, copies and memsets; measured"},
           {"Known Calls", ColumnType::kInteger,
            "calls with known FLOPs and bytes; the following columns cover these calls, if they "
            "are most of the time"},
           {"Family", ColumnType::kText, "formula used for its FLOPs and bytes"},
           kNumberFormatColumn,
           {"FLOPs", ColumnType::kInteger, "a multiply-add is two; estimated from shapes"},
           {"Bytes", ColumnType::kBytes,
            "inputs read once and outputs written once; estimated from shapes"},
           {"Intensity (FLOP/B)", ColumnType::kReal, "FLOPs / bytes"},
           {"TFLOP/s", ColumnType::kReal, "FLOPs / GPU time"},
           {"GB/s", ColumnType::kReal, "bytes / GPU time"},
           {"Compute (%)", ColumnType::kPercent,
            "of the GPU's peak in that number format, without sparsity"},
           {"Memory (%)", ColumnType::kPercent, "of the GPU's memory bandwidth"},
           {"Limit", ColumnType::kText,
            "compute or memory, whichever takes longer at its peak; latency below 30 % of both"},
           {"Quadrant", ColumnType::kText, "ceilings that are reached to 70 % or more"},
           kCostSourceColumn,
           kMeasuredBytesColumn,
           kMeasuredBandwidthColumn},
          Compute,
          Text};
}

}  // namespace warpsight::reports::roofline
