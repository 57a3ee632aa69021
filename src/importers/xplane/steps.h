#pragma once

#include <deque>

#include "importers/xplane/row_maker.h"

namespace warpsight::importers::xplane {

// If the program does not mark steps, the profiler may have derived them (the line Steps of a GPU,
// with one group of events per step). Such a step becomes a range that lasts as long as the events
// of its group on the CPU, on a separate lane: work belongs to the step that launched it.
void AddDerivedSteps(std::deque<StretchRows>& rows, TracePart& part);

}  // namespace warpsight::importers::xplane
