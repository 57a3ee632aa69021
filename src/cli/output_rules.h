#pragma once

#include <string>
#include <vector>

#include "base/output_place.h"
#include "cli/command_line.h"

namespace warpsight {

// Adds --force.
void AddForceFlag(Command& command, bool& force);

// Rules for the output of a command that reads these files and folders.
OutputRules RulesFor(const std::vector<std::string>& inputs, bool force);

// "run.warpsight" for the stem "run", or where that exists "run-2.warpsight": a profile that the
// user did not name is a new file.
std::string NewProfilePath(const std::string& stem);

// Prints the error; returns kExitUsage where the output is refused, else kExitFailed.
int FailOutput(const Error& error);

}  // namespace warpsight
