#pragma once

#include "analysis/aggregation/op_table.h"
#include "analysis/reporting/report.h"

namespace warpsight {

// Notes for reports about ops: why they are empty, and how much GPU work no op launched.
void NoteAboutOps(const ReportInput& input, const OpTable& table, RowSink& sink);

}  // namespace warpsight
