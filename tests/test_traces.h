#pragma once

#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "model/profile.h"

namespace warpsight::testing {

// A path of the repository.
std::string SourcePath(const std::string& relative);

// The names without extension of the traces recorded for this project, which are in the repository.
const std::vector<std::string>& BundledTraces();
std::string BundledTracePath(const std::string& name);

// The folder of other projects' traces, which are not part of the repository. WARPSIGHT_SHARED
// names another folder than ../shared.
std::string SharedTraces();

// Imports and analyzes traces; if that fails, fails the test and returns an empty profile.
Profile ImportForTest(const std::vector<std::string>& paths);

// The content of a file; empty if it does not exist.
std::string ReadFile(const std::string& path);

// The result of a run of the program.
struct ProgramRun {
  int exit_code = -1;
  std::string output;  // standard output
  std::string errors;  // standard error
};

// Runs the built program with these arguments, quoting them for the shell.
ProgramRun RunWarpsight(const std::vector<std::string>& arguments, const std::string& input = "");

}  // namespace warpsight::testing
