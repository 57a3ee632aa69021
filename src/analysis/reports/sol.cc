#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/aggregation/report_cache.h"
#include "analysis/report_parts/op_columns.h"
#include "analysis/report_parts/op_notes.h"
#include "analysis/report_parts/roofline_columns.h"
#include "analysis/reporting/render_columns.h"
#include "analysis/text/format.h"

namespace warpsight::reports::sol {

Report Define();

namespace {

constexpr double kPercent = 0.01;

// The rows ordered by descending potential; those without a potential come last, by descending
// time.
template <typename WorkOf>
void SortByPotential(std::vector<uint32_t>& rows, WorkOf&& work_of) {
  std::stable_sort(rows.begin(), rows.end(), [&work_of](uint32_t a, uint32_t b) {
    const CostedWork& left = work_of(a);
    const CostedWork& right = work_of(b);
    return std::pair(left.Potential(), left.time) > std::pair(right.Potential(), right.time);
  });
}

std::vector<uint32_t> Numbers(size_t count) {
  std::vector<uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

class Writer {
 public:
  Writer(const ReportInput& input, bool with_kernels, RowSink& sink)
      : input_(input),
        with_kernels_(with_kernels),
        sink_(sink),
        op_table_(OpTableOf(input)),
        costs_(OpCostsOf(input, *op_table_)),
        ops_(*op_table_),
        model_(costs_->model),
        table_(costs_->table) {}

  void Run() {
    const std::vector<std::vector<uint32_t>> kernels = KernelsOfOps();
    std::vector<uint32_t> rows = Numbers(table_.ops().size());
    SortByPotential(rows, [this](uint32_t row) -> const CostedWork& { return table_.ops()[row]; });
    for (const uint32_t row : rows) {
      if (table_.ops()[row].calls == 0) continue;
      const Op& op = ops_.ops()[row];
      Write("op", op, "", table_.ops()[row], op.Place());
      if (!with_kernels_) continue;
      for (const uint32_t kernel : kernels[row]) {
        const CostedKernel& k = table_.kernels()[kernel];
        Write("kernel", op, ShortNameOf(k), k.work, RowLink::To(k.longest));
      }
    }
    NoteAboutOps(input_, ops_, sink_);
    NoteTotals();
    NoteAboutRoofline(input_, model_, table_, sink_);
  }

 private:
  std::vector<std::vector<uint32_t>> KernelsOfOps() const {
    std::vector<std::vector<uint32_t>> kernels(table_.ops().size());
    std::vector<uint32_t> all = Numbers(table_.kernels().size());
    SortByPotential(
        all, [this](uint32_t row) -> const CostedWork& { return table_.kernels()[row].work; });
    for (const uint32_t kernel : all) kernels[table_.kernels()[kernel].op].push_back(kernel);
    return kernels;
  }

  std::string_view ShortNameOf(const CostedKernel& kernel) const {
    const Trace& trace = input_.profile.trace;
    if (kernel.kind != GpuKind::kKernel) return trace.Text(kernel.name);
    const FactTables& facts = input_.profile.facts;
    return trace.Text(facts.kernel_names.short_name[facts.KernelRow(kernel.name)]);
  }

  void Write(std::string_view level, const Op& op, std::string_view kernel, const CostedWork& work,
             const RowLink& place) {
    const Roofline roofline = work.Against(model_.peaks());
    const bool known = work.known();
    const Cell cells[] = {Cell(level),
                          Cell(op.id),
                          Cell(op.name),
                          DirectionOf(op),
                          TextCell(kernel),
                          work.calls,
                          work.time,
                          work.known_calls,
                          known ? Cell(work.known_time) : Cell(),
                          CountCell(roofline.speed_of_light_ns),
                          RealCell(roofline.efficiency, kPercent),
                          CountCell(work.Potential()),
                          TextCell(ToString(roofline.limit)),
                          NumberFormatCell(work),
                          CostSourceCell(work),
                          MeasuredBytesCell(work.counters),
                          MeasuredBandwidthCell(work.counters, model_.peaks())};
    sink_.Row(cells);
    sink_.Link(place);
  }

  void NoteTotals() {
    double light = 0;
    DurationNs actual = 0;
    for (const CostedWork& work : table_.ops()) {
      if (!IsKnown(work.Potential())) continue;
      light += work.speed_of_light_ns;
      actual += work.known_time;
    }
    if (actual == 0) return;
    const auto iterations = static_cast<double>(input_.range.last - input_.range.first + 1);
    sink_.Note(fmt::format(
        "Per iteration, ops with a known cost took {} on the GPU; at the speed of light they would "
        "take {} ({}).",
        FormatDuration(static_cast<double>(actual) / iterations),
        FormatDuration(light / iterations), FormatShare(light, static_cast<double>(actual))));
  }

  const ReportInput& input_;
  const bool with_kernels_;
  RowSink& sink_;
  const std::shared_ptr<const OpTable> op_table_;
  const std::shared_ptr<const OpCosts> costs_;
  const OpTable& ops_;
  const CostModel& model_;
  const RooflineTable& table_;
};

void Compute(const ReportInput& input, RowSink& sink) { Writer(input, true, sink).Run(); }

void ComputeOps(const ReportInput& input, RowSink& sink) { Writer(input, false, sink).Run(); }

// Prints only ops: the many kernels would make it unreadable.
std::string Text(const ReportInput& input, const TextStyle& style) {
  Report report = Define();
  report.compute = ComputeOps;
  return RenderColumns(report,
                       {"Op Name", "Direction", "GPU Time (ns)", "Speed of Light (ns)",
                        "Efficiency (%)", "Potential (ns)", "Limit"},
                       input, style);
}

}  // namespace

Report Define() {
  return {
      "sol",
      "Speed of light",
      "time of ops and their kernels compared with the minimum that the GPU allows",
      {{"Level", ColumnType::kText, "op, or kernel of the op above it; sums are over one level"},
       kOpIdColumn,
       kOpNameColumn,
       kDirectionColumn,
       {"Kernel Name", ColumnType::kText, "short name; empty for ops"},
       {"No. Calls", ColumnType::kInteger,
        "calls of the op that started GPU work, runs of the kernel; measured"},
       {"GPU Time (ns)", ColumnType::kDurationNs,
        "of those: union for ops, sum for kernels; measured"},
       {"Known Calls", ColumnType::kInteger,
        "calls with known cost; the following columns cover these calls, if they are most of the "
        "time"},
       {"Actual (ns)", ColumnType::kDurationNs, "GPU time of the known calls; measured"},
       {"Speed of Light (ns)", ColumnType::kDurationNs,
        "the longer of FLOPs at peak and bytes at full bandwidth, per call; estimated"},
       {"Efficiency (%)", ColumnType::kPercent, "speed of light / actual"},
       {"Potential (ns)", ColumnType::kDurationNs, "actual time above the speed of light"},
       {"Limit", ColumnType::kText, "compute, memory, or latency below 30 % of both peaks"},
       kNumberFormatColumn,
       kCostSourceColumn,
       kMeasuredBytesColumn,
       kMeasuredBandwidthColumn},
      Compute,
      Text};
}

}  // namespace warpsight::reports::sol
