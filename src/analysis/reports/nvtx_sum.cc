#include <vector>

#include "analysis/reporting/enclosing_ranges.h"
#include "analysis/reporting/summary_table.h"

namespace warpsight::reports::nvtx_sum {
namespace {

void Compute(const ReportInput& input, RowSink& sink) {
  const Trace& trace = input.profile.trace;
  const HostRangesTable& host = trace.tables.host;
  ValueGroups groups;
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (IsUserRange(host.kind[h])) groups.Add(Index(host.name[h]), host.duration[h], h);
  }
  const auto name_of = [&](size_t number) { return trace.Text(MakeId<StringId>(number)); };
  const auto summary =
      groups.Summarise([&](size_t a, size_t b) { return name_of(a) < name_of(b); });
  sink.Note(summary.empty() ? "The trace holds no annotations or modules." : kWholeTraceNote);
  WriteSummary(summary, PlaceOfRow<HostId>, sink, [&](size_t number, std::vector<Cell>& cells) {
    cells.emplace_back(kPushPop);
    cells.emplace_back(name_of(number));
  });
}

}  // namespace

Report Define() {
  return {"nvtx_sum", "NVTX Range Summary",
          "annotations and modules of the whole trace by name (Nsight Systems' report)",
          SummaryColumns("Instances", {{"Style", ColumnType::kText, "PushPop: nested on a thread"},
                                       {"Range", ColumnType::kText, "annotation or module"}}),
          Compute};
}

}  // namespace warpsight::reports::nvtx_sum
