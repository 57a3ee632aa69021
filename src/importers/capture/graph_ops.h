#pragma once

#include <optional>
#include <string>
#include <vector>

#include "importers/capture/row_part.h"
#include "wire/records.h"

namespace warpsight::importers::capture {

// Assigns the work of CUDA graphs to the op that was running when its node was captured. A graph
// launch carries no information about ops: they ran once, when the graph was captured. Nodes of a
// graph are copied when it is instantiated, and their numbers are reused for other graphs later, so
// each number refers to the last node created with it.
//
// The op is the one under which reports would count a launch at that place (docs/metrics.md): the
// outermost op that does not only run others, with the path of the modules around it. Ops of
// the backward pass have the path of their forward op, behind "gradients/".
//
// `hosts` are the parts whose host rows are complete; `threads` names autograd's threads.
void NameGraphWork(const std::vector<wire::GraphNodeRecord>& nodes,
                   const std::vector<const RowPart*>& hosts,
                   const std::vector<wire::ThreadRecord>& threads,
                   const std::vector<RowPart*>& gpu_parts);

}  // namespace warpsight::importers::capture
