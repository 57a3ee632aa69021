#include "analysis/reporting/summary_table.h"

namespace warpsight::reports::cuda_api_sum {
namespace {

void Compute(const ReportInput& input, RowSink& sink) {
  const Trace& trace = input.profile.trace;
  const ApiCallsTable& api = trace.tables.api;
  ValueGroups groups;
  for (size_t a = 0; a < api.start.size(); ++a) groups.Add(Index(api.name[a]), api.duration[a], a);
  WriteSummaryByName(trace, groups, PlaceOfRow<ApiId>, "The trace holds no CUDA API calls.", sink);
}

}  // namespace

Report Define() {
  return {"cuda_api_sum", "CUDA API Summary",
          "CUDA runtime and driver calls of the whole trace by name (Nsight Systems' report)",
          SummaryColumns("Num Calls", {{"Name", ColumnType::kText, "function"}}), Compute};
}

}  // namespace warpsight::reports::cuda_api_sum
