#pragma once

#include "analysis/aggregation/report_input.h"
#include "base/string_pool.h"
#include "model/facts.h"

namespace warpsight {

// What ops and kernels of the aggregated iterations cost, as tables of the profile: op_kinds and
// kernel_uses. Who reads them needs no events.
void StoreCosts(const ReportInput& input, StringPool& strings, FactTables& facts);

}  // namespace warpsight
