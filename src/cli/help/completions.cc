#include "cli/help/completions.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"

namespace warpsight {

std::string FunctionsFor(const std::string& name, std::string_view functions) {
  constexpr std::string_view kMark = "NAME";
  std::string text(functions);
  for (size_t at = text.find(kMark); at != text.npos; at = text.find(kMark, at + name.size())) {
    text.replace(at, kMark.size(), name);
  }
  return text;
}

std::string QuotedForShell(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string NamesIn(const std::vector<Term>& choices) {
  std::string names;
  for (const Term& choice : choices) names += (names.empty() ? "" : " ") + choice.name;
  return names;
}

const OptionHelp* FirstArgument(const CommandHelp& command) {
  const auto it = std::find_if(command.options.begin(), command.options.end(),
                               [](const OptionHelp& option) { return option.IsArgument(); });
  return it == command.options.end() ? nullptr : &*it;
}

const CommandHelp& DefaultCommand(const ProgramHelp& program) {
  const auto it = std::find_if(
      program.commands.begin(), program.commands.end(),
      [&](const CommandHelp* command) { return command->name == program.default_command; });
  WS_CHECK(it != program.commands.end());
  return **it;
}

}  // namespace warpsight
