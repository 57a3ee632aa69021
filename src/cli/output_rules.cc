#include "cli/output_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/file_id.h"
#include "cli/app.h"
#include "cli/terminal/console.h"
#include "importers/api/looks_like_trace.h"

namespace warpsight {
namespace {

namespace fs = std::filesystem;

bool Holds(const std::string& folder, const FileId& file) {
  std::error_code error;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    if (FindFile(it->path().string()) == file) return true;
  }
  return false;
}

// Of a folder only the traces are read: a profile or a page that was written into it can be
// replaced.
bool IsInput(const std::vector<std::string>& inputs, const std::string& path) {
  const auto file = FindFile(path);
  if (!file) return false;
  return std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
    std::error_code error;
    if (!fs::is_directory(input, error)) return FindFile(input) == file;
    return LooksLikeTrace(path) && Holds(input, *file);
  });
}

}  // namespace

void AddForceFlag(Command& command, bool& force) {
  command.AddFlag("--force", force, "Also replace files of other programs, but never an input");
}

OutputRules RulesFor(const std::vector<std::string>& inputs, bool force) {
  OutputRules rules;
  rules.is_input = [inputs](const std::string& path) { return IsInput(inputs, path); };
  rules.force = force;
  return rules;
}

std::string NewProfilePath(const std::string& stem) {
  std::string path = stem + ".warpsight";
  std::error_code ignored;
  for (int number = 2; fs::exists(path, ignored); ++number) {
    path = fmt::format("{}-{}.warpsight", stem, number);
  }
  return path;
}

int FailOutput(const Error& error) {
  Fail(error.message);
  return error.code == kRefusedOutput ? kExitUsage : kExitFailed;
}

}  // namespace warpsight
