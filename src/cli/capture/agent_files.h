#pragma once

#include <string>

#include "base/result.h"

namespace warpsight {

// The files that are injected into recorded programs.
struct AgentFiles {
  std::string library;  // libwarpsight_agent.so
  std::string python;   // the folder for PYTHONPATH
};

// Finds them beside this program: where the build puts them, else where they are installed.
// WARPSIGHT_AGENT names another library.
Result<AgentFiles> FindAgentFiles();

}  // namespace warpsight
