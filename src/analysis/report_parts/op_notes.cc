#include "analysis/report_parts/op_notes.h"

#include <fmt/format.h>

#include "analysis/text/format.h"

namespace warpsight {

void NoteAboutOps(const ReportInput& input, const OpTable& table, RowSink& sink) {
  const TraceTables& tables = input.profile.trace.tables;
  if (table.ops().empty()) {
    sink.Note(RowCount(tables.host) == 0 && RowCount(tables.gpu) == 0
                  ? "The trace contains neither CPU ops nor GPU work."
                  : "The analyzed steps contain neither ops nor GPU work.");
    return;
  }
  DurationNs all = 0;
  DurationNs without_op = 0;
  for (const Op& op : table.ops()) {
    all += op.times.gpu.total;
    if (!op.associated()) without_op += op.times.gpu.total;
  }
  if (without_op > 0) {
    sink.Note(fmt::format(
        "{} of the GPU time was not launched by a known op and counts as unassociated_<call>.",
        FormatShare(static_cast<double>(without_op), static_cast<double>(all))));
  }
  if (RowCount(tables.gpu) == 0) {
    sink.Note("No GPU work was recorded.");
  } else if (all == 0) {
    sink.Note("None of these ops launched GPU work.");
  }
}

}  // namespace warpsight
