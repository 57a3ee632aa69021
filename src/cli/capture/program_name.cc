#include "cli/capture/program_name.h"

#include <filesystem>
#include <string_view>

namespace warpsight {
namespace {

constexpr std::string_view kScript = ".py";
constexpr std::string_view kUnquoted =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=,+@%";

std::string BaseName(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

std::string ProgramName(const std::vector<std::string>& command) {
  for (size_t i = 1; i < command.size(); ++i) {
    const std::string name = BaseName(command[i]);
    if (name.size() > kScript.size() && name.ends_with(kScript)) {
      return name.substr(0, name.size() - kScript.size());
    }
    if (command[i] == "-m" && i + 1 < command.size() &&
        BaseName(command.front()).starts_with("python")) {
      const std::string& module = command[i + 1];
      std::string last = module.substr(module.rfind('.') + 1);
      // torch.distributed.run, torch.distributed.launch and the like are followed by a script.
      if (module.starts_with("torch.") || last.empty()) continue;
      return last;
    }
  }
  const std::string name = BaseName(command.front());
  return name.empty() || name == "." || name == ".." ? "program" : name;
}

std::string ShellQuoted(const std::string& text) {
  if (!text.empty() && text.find_first_not_of(kUnquoted) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace warpsight
