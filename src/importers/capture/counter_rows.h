#pragma once

#include <vector>

#include "importers/capture/row_part.h"
#include "wire/records.h"

// Hardware counters of kernels.
namespace warpsight::importers::capture {

// Adds a row of kernel_counters for each measured launch. The records of a launch have the same
// time, kernel, grid, block and instance.
void AddCounters(const std::vector<wire::CounterRecord>& records, RowPart& rows);

}  // namespace warpsight::importers::capture
