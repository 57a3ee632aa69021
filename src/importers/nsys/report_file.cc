#include "importers/nsys/report_file.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/spawn.h"
#include "base/text.h"

namespace warpsight::importers::nsys {
namespace {

namespace fs = std::filesystem;

// Both kinds of file begin with a short mark and this name, followed by the version:
// "U3w[END]NVIDIA Nsight Systems Stream 2025.3.1.0!".
constexpr std::string_view kProduct = "NVIDIA Nsight Systems";
constexpr size_t kLongestMark = 128;

std::string FindNsys() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    std::string candidate = std::string(rest.substr(0, end)) + "/nsys";
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return "";
}

std::string Command(const std::string& report) {
  return fmt::format("nsys export --type sqlite -o {} {}",
                     fs::path(report).replace_extension(".sqlite").string(), report);
}

// Runs a program and discards its output. Returns its exit status, or -1.
int Run(std::vector<std::string> command, Progress& progress) {
  SpawnOptions options;
  options.descriptors = {{STDOUT_FILENO, -1}, {STDERR_FILENO, -1}};
  const std::string program = command.front();
  const auto child = Spawn(program, std::move(command), options);
  if (!child.ok()) return -1;
  int status = 0;
  while (waitpid(*child, &status, WNOHANG) == 0) {
    if (progress.cancelled()) kill(*child, SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

bool IsReport(std::string_view head) {
  const bool text = head.starts_with('{') || head.starts_with('[');
  return !text && Contains(head.substr(0, kLongestMark), kProduct);
}

Result<ExportedReport> ExportedReport::Make(const std::string& report, Progress& progress) {
  const std::string nsys = FindNsys();
  if (nsys.empty()) {
    return Error{fmt::format("{}: a report that only Nsight Systems can read; export it with: {}",
                             report, Command(report))};
  }
  std::error_code error;
  auto folder = UnfinishedFolder::CreateIn(fs::temp_directory_path(error).string());
  if (error || !folder.ok()) {
    return Error{
        fmt::format("{}: cannot create a temporary folder for its export; export it with: {}",
                    report, Command(report))};
  }
  ExportedReport exported(*std::move(folder));
  const int status =
      Run({nsys, "export", "--type", "sqlite", "-o", exported.path(), report}, progress);
  if (progress.cancelled()) return Error{"interrupted"};
  if (status != 0 || !fs::exists(exported.path(), error)) {
    return Error{fmt::format("{}: a report of Nsight Systems that {} could not export; try: {}",
                             report, nsys, Command(report))};
  }
  return exported;
}

}  // namespace warpsight::importers::nsys
