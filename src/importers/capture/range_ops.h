#pragma once

#include <vector>

#include "importers/capture/row_part.h"

namespace warpsight::importers::capture {

// In a program without a framework, the marked ranges are the ops: those that launch GPU work and
// contain no other range that does. An enclosing range stays an annotation: in "repeat 2 / conv1",
// the op is conv1.
//
// `parts` are all parts of the file, complete; `ranges` is the one that contains the rows of
// ranges.
void MakeRangesOps(const std::vector<const RowPart*>& parts, RowPart& ranges);

}  // namespace warpsight::importers::capture
