#pragma once

#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "model/profile.h"

namespace warpsight::testing {

// Folder of the repository.
std::string SourcePath(const std::string& relative);

// The traces recorded for this project, by name without ending; all are in the repository.
const std::vector<std::string>& BundledTraces();
std::string BundledTracePath(const std::string& name);

// Where other people's traces are; not part of the repository. WARPSIGHT_SHARED names another
// folder than ../shared.
std::string SharedTraces();

// Imports and analyses traces; fails the test and returns an empty profile when that is impossible.
Profile ImportForTest(const std::vector<std::string>& paths);

// The whole content of a file; empty when there is none.
std::string ReadFile(const std::string& path);

// What the program did.
struct ProgramRun {
  int exit_code = -1;
  std::string output;  // standard output
  std::string errors;  // standard error
};

// Runs the built program with these arguments, which are quoted for the shell.
ProgramRun RunWarpsight(const std::vector<std::string>& arguments, const std::string& input = "");

}  // namespace warpsight::testing
