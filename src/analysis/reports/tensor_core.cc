#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/aggregation/report_cache.h"
#include "analysis/report_parts/op_columns.h"
#include "analysis/reporting/render_columns.h"

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
  KernelSet unknown;

  KernelSet& Of(TensorCores use) {
    return use == TensorCores::kYes  ? using_tensor_cores
           : use == TensorCores::kNo ? others
                                     : unknown;
  }
};

// Missing if no GPU work was recorded: then it is unknown what ops did on a GPU.
Cell OfGpus(const ReportInput& input, int64_t figure) {
  return input.profile.trace.tables.gpu.start.empty() ? Cell() : Cell(figure);
}

// Missing if it is unknown.
Cell UsesTensorCores(const ReportInput& input, const OpKernels& kernels) {
  if (input.profile.trace.tables.gpu.start.empty()) return {};
  if (kernels.using_tensor_cores.count() > 0) return YesNo(true);
  return kernels.unknown.count() > 0 ? Cell() : YesNo(false);
}

using RowOrder = std::vector<uint32_t> (OpTable::*)() const;

void Write(const ReportInput& input, RowOrder order, RowSink& sink) {
  const auto op_table = OpTableOf(input);
  const OpTable& table = *op_table;
  std::vector<OpKernels> kernels(table.ops().size());
  const auto uses = KernelUsesOf(input, table);
  for (const KernelUse& use : *uses) {
    if (use.kind != GpuKind::kKernel) continue;
    OpKernels& op = kernels[use.op];
    op.Of(use.tensor_cores).Add(ShortName(input.profile, use), use.gpu.total);
  }
  bool any = false;
  bool any_unknown = false;
  bool unassociated = false;
  for (const uint32_t row : (table.*order)()) {
    const Op& op = table.ops()[row];
    if (!op.tensor_core_eligible) continue;
    any = true;
    const KernelSet& with = kernels[row].using_tensor_cores;
    const KernelSet& without = kernels[row].others;
    const KernelSet& unknown = kernels[row].unknown;
    const DurationNs total = with.time + without.time + unknown.time;
    const std::string with_names = with.Joined();
    const std::string without_names = without.Joined();
    const std::string unknown_names = unknown.Joined();
    const bool known = total > 0 && unknown.time == 0;
    any_unknown |= unknown.time > 0;
    unassociated |= !op.associated();
    const Cell cells[] = {
        Cell(op.id),
        Cell(op.name),
        DirectionOf(op),
        Cell(op.type),
        UsesTensorCores(input, kernels[row]),
        OfGpus(input, total),
        OfGpus(input, with.time),
        OfGpus(input, without.time),
        known ? Cell(100.0 * static_cast<double>(with.time) / static_cast<double>(total)) : Cell(),
        OfGpus(input, with.count() + without.count() + unknown.count()),
        OfGpus(input, with.count()),
        Cell(with_names),
        OfGpus(input, without.count()),
        Cell(without_names),
        op.calls(),
        OfGpus(input, unknown.time),
        OfGpus(input, unknown.count()),
        Cell(unknown_names)};
    sink.Row(cells);
    sink.Link(op.Place());
  }
  if (!any) sink.Note("No op of the analyzed steps can use Tensor Cores.");
  if (any_unknown) {
    sink.Note("TC Utilization is empty if the Tensor Core use of some of the kernels is unknown.");
  }
  if (unassociated) {
    sink.Note(
        "Calls without an op are listed if their kernels use Tensor Cores, but do not count in the "
        "Tensor Core kernel efficiency of the summary.");
  }
}

void Compute(const ReportInput& input, RowSink& sink) { Write(input, &OpTable::RowsById, sink); }

void ComputeByTime(const ReportInput& input, RowSink& sink) {
  Write(input, &OpTable::RowsByTime, sink);
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
  return {
      "tensor_core",
      "Tensor Core use",
      "ops that could use Tensor Cores, and which of their kernels do so (DLProf's report)",
      {kOpIdColumn,
       kOpNameColumn,
       kDirectionColumn,
       kOpTypeColumn,
       {"Uses TC", ColumnType::kYesNo,
        "whether any of its kernels does, by their names or hardware counters; empty if unknown"},
       {"Total GPU Time (ns)", ColumnType::kDurationNs, "its kernels, plain sum; measured"},
       {"TC GPU Time (ns)", ColumnType::kDurationNs, "its kernels that use Tensor Cores"},
       {"Non-TC GPU Time (ns)", ColumnType::kDurationNs, "its kernels that do not"},
       {"TC Utilization (%)", ColumnType::kPercent,
        "TC GPU time / total GPU time; empty if some of it is unknown; derived"},
       {"Total Kernel Count", ColumnType::kInteger, "distinct kernels"},
       {"TC Kernel Count", ColumnType::kInteger, "distinct kernels that use Tensor Cores"},
       {"TC Kernel Names", ColumnType::kText, "their short names"},
       {"Non-TC Kernel Count", ColumnType::kInteger, "distinct kernels that do not"},
       {"Non-TC Kernel Names", ColumnType::kText, "their short names"},
       {"No. Calls", ColumnType::kInteger, "calls of the op; measured"},
       {"Unknown GPU Time (ns)", ColumnType::kDurationNs,
        "its kernels whose Tensor Core use is unknown"},
       {"Unknown Kernel Count", ColumnType::kInteger,
        "distinct kernels whose Tensor Core use is unknown"},
       {"Unknown Kernel Names", ColumnType::kText, "their short names"}},
      Compute,
      Text};
}

}  // namespace warpsight::reports::tensor_core
