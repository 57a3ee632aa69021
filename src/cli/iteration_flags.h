#pragma once

#include "analysis/iterations/iterations.h"
#include "cli/command_line.h"

namespace warpsight {

// --key-op, --iter-start, --iter-stop, --batch-size: the same for every command that aggregates.
void AddIterationFlags(Command& command, IterationOptions& options);

}  // namespace warpsight
