#pragma once

#include "analysis/aggregation/op_table.h"
#include "analysis/reporting/report.h"

namespace warpsight {

// What a reader of a report about ops must know: why it is empty, and how much GPU work no op
// started.
void NoteAboutOps(const ReportInput& input, const OpTable& table, RowSink& sink);

}  // namespace warpsight
