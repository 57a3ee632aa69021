#pragma once

#include <string>

#include "cli/help/description.h"

// Man pages (roff, section 1): pure functions of what the commands say about themselves.
namespace warpsight {

// warpsight.1
std::string ManPage(const ProgramHelp& program);
// warpsight-report.1
std::string ManPage(const ProgramHelp& program, const CommandHelp& command);

}  // namespace warpsight
