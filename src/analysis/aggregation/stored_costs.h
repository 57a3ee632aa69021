#pragma once

#include "analysis/aggregation/report_input.h"
#include "base/string_pool.h"
#include "model/facts.h"

namespace warpsight {

// Stores the costs of ops and kernels in the aggregated iterations in the tables op_kinds and
// kernel_uses, so that their readers need no events.
void StoreCosts(const ReportInput& input, StringPool& strings, FactTables& facts);

}  // namespace warpsight
