#pragma once

#include <vector>

#include "importers/capture/row_part.h"
#include "wire/records.h"

// Rows for ranges and marks of the program.
namespace warpsight::importers::capture {

// Ranges that are still open last until `end_of_recording`.
void AddRanges(std::vector<wire::RangeRecord> ranges, TimeNs end_of_recording, RowPart& rows);
void AddMark(const wire::MarkRecord& record, RowPart& rows);

}  // namespace warpsight::importers::capture
