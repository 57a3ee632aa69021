#include "cli/capture/agent_files.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace warpsight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libwarpsight_agent.so";

bool IsFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

}  // namespace

Result<AgentFiles> FindAgentFiles() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    return Error{fmt::format("cannot determine the path of this program: {}", error.message())};
  }
  const fs::path folder = program.parent_path();
  const fs::path built = folder / "lib";
  const fs::path installed = folder.parent_path() / "lib" / "warpsight";

  AgentFiles files;
  if (const char* other = std::getenv("WARPSIGHT_AGENT"); other != nullptr && *other != '\0') {
    if (!IsFile(other)) {
      return Error{
          fmt::format("{}: WARPSIGHT_AGENT names this library, which does not exist", other)};
    }
    files.library = fs::absolute(other).string();
  } else {
    for (const fs::path& place : {built, installed}) {
      if (files.library.empty() && IsFile(place / kLibrary)) {
        files.library = (place / kLibrary).string();
      }
    }
  }
  if (files.library.empty()) {
    return Error{fmt::format("the recording agent is missing: {} is neither in {} nor in {}",
                             kLibrary, built.string(), installed.string())};
  }
  for (const fs::path& place : {built, installed}) {
    if (files.python.empty() && IsFile(place / "python" / "sitecustomize.py")) {
      files.python = (place / "python").string();
    }
  }
  if (files.python.empty()) {
    return Error{
        fmt::format("the Python part of the agent is missing: there is no python folder "
                    "in {} or {}",
                    built.string(), installed.string())};
  }
  return files;
}

}  // namespace warpsight
