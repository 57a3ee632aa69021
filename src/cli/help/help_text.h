#pragma once

#include <cstddef>
#include <string>

#include "cli/help/description.h"

// The help as text: pure functions of what the commands say about themselves.
namespace warpsight {

// `warpsight report --help`.
std::string HelpOnCommand(const ProgramHelp& program, const CommandHelp& command, size_t width);
// `warpsight --help`.
std::string HelpOnProgram(const ProgramHelp& program, size_t width);
// `warpsight` alone: what it is, its commands, examples.
std::string Overview(const ProgramHelp& program, size_t width);

}  // namespace warpsight
