#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

// Each command adds itself to the command line: its options, its help, and what to run. A command
// prints its own errors and returns an exit code.
namespace warpsight {

using RunCommand = std::function<int()>;

// Returns what to run; called by the parser's callback once the command was chosen.
using SetCommand = std::function<void(RunCommand)>;

// The program is what followed "--", which the parser does not see.
void AddProfileCommand(CLI::App& app, std::vector<std::string> program, const SetCommand& set);
void AddImportCommand(CLI::App& app, const SetCommand& set);
void AddReportCommand(CLI::App& app, const SetCommand& set);
void AddAdviseCommand(CLI::App& app, const SetCommand& set);
void AddWhatIfCommand(CLI::App& app, const SetCommand& set);
void AddInfoCommand(CLI::App& app, const SetCommand& set);
void AddKernelCommand(CLI::App& app, const SetCommand& set);
void AddQueryCommand(CLI::App& app, const SetCommand& set);
void AddViewCommand(CLI::App& app, const SetCommand& set);
void AddExportCommand(CLI::App& app, const SetCommand& set);

}  // namespace warpsight
