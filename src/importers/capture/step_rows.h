#pragma once

#include <vector>

#include "importers/capture/row_part.h"
#include "wire/records.h"

// Rows for the times of steps, and for the stretches in which nothing was recorded.
namespace warpsight::importers::capture {

void AddStepTime(const wire::StepTimeRecord& record, RowPart& rows);

// A stretch that was written again when it ended counts once. A stretch without an end lasts until
// `end_of_recording`; stretches that overlap are joined.
void AddCleanStretches(const std::vector<wire::CleanStretchRecord>& records,
                       TimeNs end_of_recording, RowPart& rows);

}  // namespace warpsight::importers::capture
