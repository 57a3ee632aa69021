#pragma once

#include "cli/build_facts.h"
#include "cli/terminal/exit_codes.h"

namespace warpsight {

// Runs the command line; returns the exit code.
int RunProgram(int argc, char** argv, const BuildCommit& commit);

}  // namespace warpsight
