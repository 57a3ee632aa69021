#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/help/description.h"

// What shells need to complete command lines of the program: commands, options, the values that an
// option can have, and files that a command can read.
namespace warpsight {

std::string BashCompletion(const ProgramHelp& program);
std::string ZshCompletion(const ProgramHelp& program);
std::string FishCompletion(const ProgramHelp& program);

// The parts that the shells share.

// The functions of a script, with the program's name in place of each NAME.
std::string FunctionsFor(const std::string& name, std::string_view functions);
// 'it'\''s': a text as bash and zsh read it as one word.
std::string QuotedForShell(const std::string& text);
// "text csv json".
std::string NamesIn(const std::vector<Term>& choices);
// The first argument of the command, null where it has none.
const OptionHelp* FirstArgument(const CommandHelp& command);
// The command for a first argument that is a file.
const CommandHelp& DefaultCommand(const ProgramHelp& program);

}  // namespace warpsight
