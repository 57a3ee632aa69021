#include "cli/capture/program_name.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <string_view>

#include "base/printable.h"

namespace warpsight {
namespace {

constexpr std::string_view kScript = ".py";
constexpr std::string_view kUnquoted =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=,+@%";

std::string BaseName(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// As bash, zsh and POSIX.1-2024 read it: $'a\033b'.
std::string QuotedWithEscapes(std::string_view text) {
  std::string quoted = "$'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c >= 0x20 && c < 0x7F) {
      quoted += c;
    } else {
      fmt::format_to(std::back_inserter(quoted), "\\{:03o}", static_cast<unsigned char>(c));
    }
  }
  return quoted + "'";
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
  if (Printable(text) != text) return QuotedWithEscapes(text);
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
