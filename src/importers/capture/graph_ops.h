#pragma once

#include <optional>
#include <string>
#include <vector>

#include "importers/capture/row_part.h"
#include "wire/records.h"

namespace warpsight::importers::capture {

// Assigns the work of CUDA graphs to the op that was running when its node was captured. A graph
// launch carries no information about ops: they ran once, when the graph was captured. The nodes of
// a graph are copied when it is instantiated, and their numbers are reused for other graphs later,
// so a number refers to the last node that was created with it before the work.
//
// The op is the one under which reports would count a launch at that place (docs/metrics.md): the
// outermost op that is not a wrapper, with the path of the enclosing modules. Ops of the backward
// pass have the path of their forward op after "gradients/".
//
// `hosts` are the parts whose host rows are complete; `threads` contains the names of threads,
// which identify autograd's.
void NameGraphWork(const std::vector<wire::GraphNodeRecord>& nodes,
                   const std::vector<const RowPart*>& hosts,
                   const std::vector<wire::ThreadRecord>& threads,
                   const std::vector<RowPart*>& gpu_parts);

}  // namespace warpsight::importers::capture
