#pragma once

#include <string>

#include "cli/command_line.h"
#include "cli/terminal/console.h"

namespace warpsight {

// --color: the same for every command that colors its output.
void AddColorOption(Command& command, std::string& text);

ColorChoice ReadColorOption(const std::string& text);

}  // namespace warpsight
