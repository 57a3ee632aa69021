#pragma once

#include <CLI/CLI.hpp>

#include "analysis/iterations/iterations.h"

namespace warpsight {

// --key-op, --iter-start, --iter-stop, --batch-size: the same for every command that aggregates.
void AddIterationFlags(CLI::App& command, IterationOptions& options);

}  // namespace warpsight
