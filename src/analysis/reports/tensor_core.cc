#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/reporting/op_columns.h"
#include "analysis/reporting/render_columns.h"
#include "analysis/reporting/report_cache.h"

namespace warpsight::reports::tensor_core {

Report Define();

namespace {

struct KernelSet {
  std::set<std::string_view> names;
  DurationNs time = 0;

  void Add(std::string_view name, DurationNs duration) {
    names.insert(name);
    time += duration;
  }
  int64_t count() const { return static_cast<int64_t>(names.size()); }
  std::string Joined() const {
    std::string text;
    for (const std::string_view name : names) {
      if (!text.empty()) text += ", ";
      text += name;
    }
    return text;
  }
};

struct OpKernels {
  KernelSet using_tensor_cores;
  KernelSet others;
};

void Write(const ReportInput& input, const OpTable& table, const std::vector<uint32_t>& rows,
           RowSink& sink) {
  std::vector<OpKernels> kernels(table.ops().size());
  const auto uses = KernelUsesOf(input, table);
  for (const KernelUse& use : *uses) {
    if (use.kind != GpuKind::kKernel) continue;
    OpKernels& op = kernels[use.op];
    (use.tensor_cores == TensorCores::kYes ? op.using_tensor_cores : op.others)
        .Add(ShortName(input.profile, use), use.gpu.total);
  }
  bool any = false;
  for (const uint32_t row : rows) {
    const Op& op = table.ops()[row];
    if (!op.tensor_core_eligible) continue;
    any = true;
    const KernelSet& with = kernels[row].using_tensor_cores;
    const KernelSet& without = kernels[row].others;
    const DurationNs total = with.time + without.time;
    const std::string with_names = with.Joined();
    const std::string without_names = without.Joined();
    const Cell cells[] = {
        Cell(op.id),
        Cell(op.name),
        DirectionOf(op),
        Cell(op.type),
        YesNo(op.uses_tensor_cores),
        total,
        with.time,
        without.time,
        total == 0 ? Cell() : 100.0 * static_cast<double>(with.time) / static_cast<double>(total),
        with.count() + without.count(),
        with.count(),
        Cell(with_names),
        without.count(),
        Cell(without_names),
        op.calls()};
    sink.Row(cells);
    sink.Link(op.Place());
  }
  if (!any) sink.Note("No op of the aggregated iterations is of a kind that Tensor Cores can do.");
}

void Compute(const ReportInput& input, RowSink& sink) {
  const auto table = OpTableOf(input);
  Write(input, *table, table->RowsById(), sink);
}

void ComputeByTime(const ReportInput& input, RowSink& sink) {
  const auto table = OpTableOf(input);
  Write(input, *table, table->RowsByTime(), sink);
}

std::string Text(const ReportInput& input, const TextStyle& style) {
  Report printed = Define();
  printed.compute = ComputeByTime;
  return RenderColumns(
      printed,
      {"Op Name", "Direction", "Total GPU Time (ns)", "TC GPU Time (ns)", "TC Utilization (%)"},
      input, style);
}

}  // namespace

Report Define() {
  return {"tensor_core",
          "Tensor Core use",
          "ops that could use Tensor Cores, and which of their kernels do (DLProf's report)",
          {kOpIdColumn,
           kOpNameColumn,
           kDirectionColumn,
           kOpTypeColumn,
           {"Uses TC", ColumnType::kYesNo, "whether any of its kernels does; from kernel names"},
           {"Total GPU Time (ns)", ColumnType::kDurationNs, "its kernels, plain sum; measured"},
           {"TC GPU Time (ns)", ColumnType::kDurationNs, "its kernels that use Tensor Cores"},
           {"Non-TC GPU Time (ns)", ColumnType::kDurationNs, "its other kernels"},
           {"TC Utilization (%)", ColumnType::kPercent, "TC GPU time / total GPU time; derived"},
           {"Total Kernel Count", ColumnType::kInteger, "distinct kernels"},
           {"TC Kernel Count", ColumnType::kInteger, "distinct kernels that use Tensor Cores"},
           {"TC Kernel Names", ColumnType::kText, "their short names"},
           {"Non-TC Kernel Count", ColumnType::kInteger, "the other distinct kernels"},
           {"Non-TC Kernel Names", ColumnType::kText, "their short names"},
           {"No. Calls", ColumnType::kInteger, "calls of the op; measured"}},
          Compute,
          Text};
}

}  // namespace warpsight::reports::tensor_core
