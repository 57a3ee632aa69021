#pragma once

#include <string>
#include <vector>

#include "cli/build_facts.h"
#include "cli/command_line.h"

// Each command adds itself to the command line: its options, its help, and what to run. A command
// prints its own errors and returns an exit code.
namespace warpsight {

// The program is what followed "--", which the parser does not see.
void AddProfileCommand(CommandLine& line, std::vector<std::string> program);
void AddImportCommand(CommandLine& line);
void AddReportCommand(CommandLine& line);
void AddAdviseCommand(CommandLine& line);
void AddWhatIfCommand(CommandLine& line);
void AddInfoCommand(CommandLine& line);
void AddKernelCommand(CommandLine& line);
void AddQueryCommand(CommandLine& line);
void AddViewCommand(CommandLine& line);
void AddExportCommand(CommandLine& line);
void AddMcpCommand(CommandLine& line);
void AddVersionCommand(CommandLine& line, const BuildCommit& commit);

}  // namespace warpsight
