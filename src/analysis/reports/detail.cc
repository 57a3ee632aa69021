#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/aggregation/report_cache.h"
#include "analysis/facts/call_stack.h"
#include "analysis/report_parts/op_columns.h"
#include "analysis/report_parts/op_notes.h"
#include "analysis/reporting/render_columns.h"

namespace warpsight::reports::detail {

Report Define();

namespace {

using RowOrder = std::vector<uint32_t> (OpTable::*)() const;

void Write(const ReportInput& input, RowOrder order, RowSink& sink) {
  const auto op_table = OpTableOf(input);
  const OpTable& table = *op_table;
  NoteAboutOps(input, table, sink);
  const TraceTables& tables = input.profile.trace.tables;
  std::vector<Cell> cells;
  for (const uint32_t row : (table.*order)()) {
    const Op& op = table.ops()[row];
    std::string types;
    std::string_view shapes;
    std::string stack;
    if (IsSet(op.first_call)) {
      if (const SignatureId signature = tables.host.signature[Index(op.naming_op)];
          IsSet(signature)) {
        types = input.profile.trace.inputs.ReadableTypes(signature);
        shapes = input.profile.trace.Text(tables.signatures.dims[Index(signature)]);
      }
      stack = CallStackText(input.profile, op.first_call);
    }
    cells.assign({Cell(op.id), Cell(op.name), DirectionOf(op), Cell(op.type), op.calls(),
                  YesNo(op.tensor_core_eligible), YesNo(op.uses_tensor_cores)});
    AppendTimes(op.times, cells);
    cells.emplace_back(types);
    cells.emplace_back(stack);
    cells.emplace_back(op.kernels);
    cells.emplace_back(shapes);
    sink.Row(cells);
    sink.Link(op.Place());
  }
}

void Compute(const ReportInput& input, RowSink& sink) { Write(input, &OpTable::RowsById, sink); }

void ComputeByTime(const ReportInput& input, RowSink& sink) {
  Write(input, &OpTable::RowsByTime, sink);
}

std::string Text(const ReportInput& input, const TextStyle& style) {
  Report printed = Define();
  printed.compute = ComputeByTime;
  return RenderColumns(printed,
                       {"Op Name", "Direction", "No. Calls", "Using TC", "Total GPU Time (ns)",
                        "Total CPU Time (ns)"},
                       input, style);
}

}  // namespace

Report Define() {
  return {"detail",
          "Ops",
          "every op with its calls, CPU and GPU times (DLProf's detail report)",
          WithTimeColumns(
              {kOpIdColumn,
               kOpNameColumn,
               kDirectionColumn,
               kOpTypeColumn,
               {"No. Calls", ColumnType::kInteger, "calls of the op; measured"},
               {"TC Eligible", ColumnType::kYesNo,
                "whether it can use Tensor Cores; derived from its name"},
               {"Using TC", ColumnType::kYesNo,
                "whether any of its kernels uses Tensor Cores; from kernel names"}},
              {kDataTypeColumn,
               {"Stack Trace", ColumnType::kText,
                "frames around its first call, one on a line, outermost first, where recorded; of "
                "its forward op if it has none; measured"},
               {"Kernel Calls", ColumnType::kInteger, "kernels that its calls started; measured"},
               {"Shapes", ColumnType::kText,
                "shapes of the inputs of its first call, as recorded; measured"}}),
          Compute,
          Text};
}

}  // namespace warpsight::reports::detail
