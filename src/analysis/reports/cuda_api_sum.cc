#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/facts/api_version.h"
#include "analysis/report_parts/summary_table.h"

namespace warpsight::reports::cuda_api_sum {
namespace {

// The function and version of a row.
using Key = std::pair<StringId, int64_t>;

void Compute(const ReportInput& input, RowSink& sink) {
  const Trace& trace = input.profile.trace;
  const ApiCallsTable& api = trace.tables.api;
  ApiVersions versions;
  KeyNumbers<Key> keys;
  ValueGroups groups;
  for (size_t a = 0; a < api.start.size(); ++a) {
    groups.Add(keys.NumberOf({api.name[a], versions.Of(api.args[a], trace)}), api.duration[a], a);
  }
  const auto name_of = [&](size_t number) {
    return NsightName(trace.Text(keys[number].first), keys[number].second);
  };
  const auto summary =
      groups.Summarize([&](size_t a, size_t b) { return name_of(a) < name_of(b); });
  sink.Note(summary.empty() ? "The trace contains no CUDA API calls." : kWholeTraceNote);
  std::string name;
  WriteSummary(summary, PlaceOfRow<ApiId>, sink, [&](size_t number, std::vector<Cell>& cells) {
    name = name_of(number);
    cells.emplace_back(name);
  });
}

}  // namespace

Report Define() {
  return {"cuda_api_sum", "CUDA API Summary",
          "CUDA runtime and driver calls of the whole trace by name (Nsight Systems' report)",
          SummaryColumns("Num Calls",
                         {{"Name", ColumnType::kText, "function, with its version from 10000 on"}}),
          Compute};
}

}  // namespace warpsight::reports::cuda_api_sum
