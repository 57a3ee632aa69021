#pragma once

#include <vector>

#include "importers/capture/row_part.h"
#include "wire/records.h"

// What hardware counters say about kernels.
namespace warpsight::importers::capture {

// A row of kernel_counters for each launch that was measured: its records have the same time,
// kernel, grid, block and instance.
void AddCounters(const std::vector<wire::CounterRecord>& records, RowPart& rows);

}  // namespace warpsight::importers::capture
