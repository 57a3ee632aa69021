#pragma once

#include <vector>

#include "importers/capture/row_part.h"

namespace warpsight::importers::capture {

// In a program that no framework runs, the ranges that it marks are its ops: those inside of which
// GPU work is started, and no further range with such work. A range around others stays an
// annotation, so that "repeat 2 / conv1" is op conv1.
//
// `parts` are all parts of the file, complete; `ranges` the one of them with the rows of ranges.
void MakeRangesOps(const std::vector<const RowPart*>& parts, RowPart& ranges);

}  // namespace warpsight::importers::capture
