#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/capture/agent_files.h"

namespace warpsight {

// What the agent records, and when.
struct CaptureOptions {
  bool shapes = true;
  bool stacks = false;
  bool memory = false;
  bool counters = false;
  bool stretches = false;       // clean ones between recorded ones
  double delay_seconds = 0;     // 0: from the start
  double duration_seconds = 0;  // 0: to the end
  std::optional<std::pair<int64_t, int64_t>> steps;
};

// "shapes,delay=1500": as the agent reads it.
std::string CaptureOptionsText(const CaptureOptions& options);

// A number for a run, as the environment names it: the same for all of its processes, and for no
// other run.
std::string NewRunId();

// This process's environment plus the variables that make CUDA, NVTX and Python load the agent, as
// "NAME=VALUE". An Error if another tool already uses these variables: only one tool can.
Result<std::vector<std::string>> CaptureEnvironment(const CaptureOptions& options,
                                                    const AgentFiles& files,
                                                    const std::string& run_folder,
                                                    const std::string& run_id);

}  // namespace warpsight
