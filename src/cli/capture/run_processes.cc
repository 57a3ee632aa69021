#include "cli/capture/run_processes.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

#include "base/descriptor_table.h"

namespace warpsight {
namespace {

namespace fs = std::filesystem;

// Helpers of a program often end just after it.
constexpr auto kTimeToEnd = std::chrono::milliseconds(300);
constexpr auto kPollInterval = std::chrono::milliseconds(20);

bool IsNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// A process that has ended has no environment, also while its parent has not taken note.
bool BelongsToRun(const fs::path& process, const std::string& variable) {
  std::ifstream file(process / "environ", std::ios::binary);
  const std::string environment((std::istreambuf_iterator<char>(file)), {});
  return environment.starts_with(variable) ||
         environment.find('\0' + variable) != std::string::npos;
}

std::vector<pid_t> ProcessesOfRun(const std::string& run_id) {
  const std::string variable = "WARPSIGHT_RUN=" + run_id + '\0';
  std::vector<pid_t> found;
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (IsNumber(name) && BelongsToRun(it->path(), variable)) {
      found.push_back(static_cast<pid_t>(std::strtol(name.c_str(), nullptr, 10)));
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

bool CanIsolateDescriptors() {
  // Not by a thread: the C library would change how this process, and so the program, treats
  // signals.
  const pid_t child = fork();
  if (child == 0) _exit(UseOwnDescriptorTable() ? 0 : 1);
  int status = 0;
  // If this cannot be checked, recording is allowed: the agent checks again.
  if (child < 0 || waitpid(child, &status, 0) != child) return true;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::vector<pid_t> ProcessesStillRunning(const std::string& run_id) {
  const auto end = std::chrono::steady_clock::now() + kTimeToEnd;
  std::vector<pid_t> found = ProcessesOfRun(run_id);
  while (!found.empty() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kPollInterval);
    found = ProcessesOfRun(run_id);
  }
  return found;
}

}  // namespace warpsight
