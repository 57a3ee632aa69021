#include <string>
#include <tuple>
#include <vector>

#include "analysis/report_parts/summary_table.h"
#include "analysis/report_parts/user_ranges.h"

namespace warpsight::reports::nvtx_sum {
namespace {

// The domain, text and style of a row.
using Key = std::tuple<StringId, StringId, NvtxStyle>;

void Compute(const ReportInput& input, RowSink& sink) {
  const Trace& trace = input.profile.trace;
  const std::vector<UserRange> ranges = UserRangesOf(trace);
  KeyNumbers<Key> keys;
  ValueGroups groups;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const UserRange& range = ranges[i];
    groups.Add(keys.NumberOf({range.domain, range.text, range.style}), range.end - range.start, i);
  }
  const auto names_of = [&](size_t number) {
    const auto& [domain, text, style] = keys[number];
    return std::tuple(trace.Text(domain), trace.Text(text), style);
  };
  const auto summary =
      groups.Summarize([&](size_t a, size_t b) { return names_of(a) < names_of(b); });
  sink.Note(summary.empty() ? "The trace contains no NVTX ranges, annotations or modules."
                            : kWholeTraceNote);
  std::string name;
  WriteSummary(
      summary, [&](size_t range) { return PlaceOfRange(ranges[range]); }, sink,
      [&](size_t number, std::vector<Cell>& cells) {
        const auto& [domain, text, style] = keys[number];
        name = NameOfRange(trace, domain, text);
        cells.emplace_back(ToString(style));
        cells.emplace_back(name);
      });
}

}  // namespace

Report Define() {
  return {
      "nvtx_sum", "NVTX Range Summary",
      "NVTX ranges, annotations and modules of the whole trace by name (Nsight Systems' "
      "report)",
      SummaryColumns(
          "Instances",
          {{"Style", ColumnType::kText,
            "PushPop: nested on one thread; StartEnd: may start and end on different threads"},
           {"Range", ColumnType::kText, "domain:text of the range; the default domain is empty"}}),
      Compute};
}

}  // namespace warpsight::reports::nvtx_sum
