#pragma once

#include <vector>

#include "importers/capture/row_part.h"

namespace warpsight::importers::capture {

// In a program without a framework, its marked ranges are its ops: those that launch GPU work and
// contain no other range with such work. A range around others stays an annotation, so that "repeat
// 2 / conv1" is op conv1.
//
// `parts` are all parts of the file, complete; `ranges` the one of them with the rows of ranges.
void MakeRangesOps(const std::vector<const RowPart*>& parts, RowPart& ranges);

}  // namespace warpsight::importers::capture
