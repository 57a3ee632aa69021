#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/aggregation/report_cache.h"
#include "analysis/report_parts/op_columns.h"
#include "analysis/report_parts/op_notes.h"
#include "analysis/report_parts/roofline_columns.h"
#include "analysis/reporting/render_columns.h"
#include "model/hash_map.h"

namespace warpsight::reports::kernel {

Report Define();

namespace {

// The source of the information whether a kernel uses Tensor Cores.
Cell TensorCoreSource(const KernelUse& use) {
  if (use.kind != GpuKind::kKernel || use.tensor_cores == TensorCores::kUnknown) return {};
  if (use.tensor_cores_measured) return "measured";
  return use.tensor_cores_by_name ? "by name" : "by operands";
}

// One entry per short name and op, in order of appearance: kernels with the same short name differ
// only in their namespaces and template arguments.
std::vector<KernelUse> UsesByShortName(const ReportInput& input, const OpTable& table) {
  std::vector<KernelUse> merged;
  HashMap<std::tuple<std::string_view, uint32_t, GpuKind>, size_t> rows;
  const auto uses = KernelUsesOf(input, table);
  for (const KernelUse& use : *uses) {
    const auto [at, is_new] = rows.try_emplace(
        std::tuple(ShortName(input.profile, use), use.op, use.kind), merged.size());
    if (is_new) {
      merged.push_back(use);
    } else {
      merged[at->second].Merge(use);
    }
  }
  return merged;
}

void Write(const ReportInput& input, const OpTable& table, const std::vector<KernelUse>& uses,
           RowSink& sink) {
  NoteAboutOps(input, table, sink);
  const Trace& trace = input.profile.trace;
  std::vector<Cell> cells;
  for (const KernelUse& use : uses) {
    const Op& op = table.ops()[use.op];
    cells.assign({Cell(ShortName(input.profile, use)), Cell(op.id), Cell(op.name), DirectionOf(op),
                  YesNo(use.tensor_cores)});
    AppendTally(use.gpu, cells);
    AppendTally(use.api, cells);
    cells.emplace_back(use.gpu.count);
    cells.emplace_back(trace.Text(use.name));
    cells.push_back(TensorCoreSource(use));
    cells.push_back(RealCell(use.counters.TensorActivePercent()));
    cells.push_back(RealCell(use.counters.SmActivePercent()));
    cells.push_back(MeasuredBytesCell(use.counters));
    cells.push_back(RealCell(use.fill.BlocksPerSm()));
    cells.push_back(RealCell(use.fill.OccupancyPercent()));
    sink.Row(cells);
    sink.Link(RowLink::To(use.longest));
  }
}

// Kernels in DLProf's order, by op and name; then copies and memsets, which DLProf does not list.
void Compute(const ReportInput& input, RowSink& sink) {
  const auto table = OpTableOf(input);
  std::vector<KernelUse> uses = UsesByShortName(input, *table);
  const auto key = [&](const KernelUse& use) {
    return std::tuple(use.kind != GpuKind::kKernel, std::string_view(table->ops()[use.op].name),
                      use.op, ShortName(input.profile, use), use.kind);
  };
  std::sort(uses.begin(), uses.end(),
            [&](const KernelUse& a, const KernelUse& b) { return key(a) < key(b); });
  Write(input, *table, uses, sink);
}

void ComputeByTime(const ReportInput& input, RowSink& sink) {
  const auto table = OpTableOf(input);
  std::vector<KernelUse> uses = UsesByShortName(input, *table);
  std::stable_sort(uses.begin(), uses.end(), [](const KernelUse& a, const KernelUse& b) {
    return a.gpu.total > b.gpu.total;
  });
  Write(input, *table, uses, sink);
}

std::string Text(const ReportInput& input, const TextStyle& style) {
  Report printed = Define();
  printed.compute = ComputeByTime;
  return RenderColumns(printed,
                       {"Kernel Name", "Op ID", "Uses TC", "No. Calls", "Total GPU Time (ns)"},
                       input, style);
}

}  // namespace

Report Define() {
  return {
      "kernel",
      "Kernels by op",
      "every kernel with the op that started it, then copies and memsets (DLProf's kernel report)",
      {{"Kernel Name", ColumnType::kText, "name without arguments and namespaces"},
       kOpIdColumn,
       kOpNameColumn,
       kDirectionColumn,
       {"Uses TC", ColumnType::kYesNo,
        "whether it uses Tensor Cores; TC Source shows how this was determined"},
       {"Total GPU Time (ns)", ColumnType::kDurationNs, "time on the GPU, plain sum; measured"},
       {"Avg GPU Time (ns)", ColumnType::kDurationNs, "the same per run"},
       {"Min GPU Time (ns)", ColumnType::kDurationNs, "the shortest run"},
       {"Max GPU Time (ns)", ColumnType::kDurationNs, "the longest run"},
       {"Total API Time (ns)", ColumnType::kDurationNs,
        "time in the calls that started it; a graph launch counts for its first kernel; measured"},
       {"Avg API Time (ns)", ColumnType::kDurationNs, "the same per call"},
       {"Min API Time (ns)", ColumnType::kDurationNs, "the shortest call"},
       {"Max API Time (ns)", ColumnType::kDurationNs, "the longest call"},
       {"No. Calls", ColumnType::kInteger, "how often it ran; measured"},
       {"Long Kernel Name", ColumnType::kText, "name of its longest run, as recorded"},
       {"TC Source", ColumnType::kText,
        "measured by hardware counters, by name, or by the operands' formats and the GPU; empty if "
        "Tensor Core use is unknown"},
       {"Tensor Active (%)", ColumnType::kPercent,
        "cycles in which the Tensor Cores worked, of all; measured by hardware counters"},
       {"SM Active (%)", ColumnType::kPercent,
        "cycles in which multiprocessors had work, of all; measured by hardware counters"},
       kMeasuredBytesColumn,
       {"Mean Blocks Per SM", ColumnType::kReal,
        "blocks / multiprocessors, averaged over the time of its runs; derived"},
       {"Mean Est. Achieved Occupancy (%)", ColumnType::kPercent,
        "as the profiler estimated it, averaged over the time of its runs; estimated"}},
      Compute,
      Text};
}

}  // namespace warpsight::reports::kernel
