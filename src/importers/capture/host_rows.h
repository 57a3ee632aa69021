#pragma once

#include <vector>

#include "importers/capture/row_part.h"
#include "wire/records.h"

// Rows for the CPU side, except ranges.
namespace warpsight::importers::capture {

void AddCall(const wire::CallRecord& record, RowPart& rows);
void AddOp(const wire::OpRecord& record, RowPart& rows);
void AddOverhead(const wire::OverheadRecord& record, RowPart& rows);
// Leaves out allocations of CUDA itself if the framework's own allocations, which are inside them,
// were recorded.
void AddMemory(const std::vector<wire::MemoryRecord>& records, RowPart& rows);

}  // namespace warpsight::importers::capture
