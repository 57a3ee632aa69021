#pragma once

#include <vector>

#include "importers/capture/row_part.h"
#include "wire/records.h"

// What the CPU did, other than ranges.
namespace warpsight::importers::capture {

void AddCall(const wire::CallRecord& record, RowPart& rows);
void AddOp(const wire::OpRecord& record, RowPart& rows);
void AddOverhead(const wire::OverheadRecord& record, RowPart& rows);
// Allocations by CUDA itself are left out where the framework's own are there, which lie in them.
void AddMemory(const std::vector<wire::MemoryRecord>& records, RowPart& rows);

}  // namespace warpsight::importers::capture
