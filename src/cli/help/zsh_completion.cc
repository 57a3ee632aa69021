#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/help/completions.h"

namespace warpsight {
namespace {

// With a backslash before each of the characters.
std::string Escaped(std::string_view text, std::string_view characters) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || characters.find(c) != characters.npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// "_files -g '*.(json|gz)(-.)'": folders as well, and all files where none fits.
std::string CompleteFiles(const std::vector<std::string>& endings) {
  if (endings.empty()) return "_files";
  std::string pattern;
  for (const std::string& ending : endings) {
    pattern += (pattern.empty() ? "" : "|") + ending.substr(ending.find_first_not_of('.'));
  }
  return fmt::format("_files -g \"*.({})(-.)\"", pattern);
}

// How _arguments completes a value: ":FORMAT:(text json)".
std::string ValueAction(const OptionHelp& option) {
  const std::string name = option.IsArgument() ? option.names : option.type;
  std::string action = " ";
  if (option.comma_separated && !option.choices.empty()) {
    action = fmt::format("_values -s , {}", QuotedForShell(name));
    for (const Term& choice : option.choices) {
      action +=
          ' ' + QuotedForShell(fmt::format("{}[{}]", choice.name, Escaped(choice.text, "[]:")));
    }
    action = "{" + action + "}";
  } else if (option.HasDescribedChoices()) {
    action = "((";
    for (const Term& choice : option.choices) {
      action += fmt::format("{}{}\\:{}", choice.name == option.choices.front().name ? "" : " ",
                            choice.name, QuotedForShell(Escaped(choice.text, ":")));
    }
    action += "))";
  } else if (!option.choices.empty()) {
    action = "(" + NamesIn(option.choices) + ")";
  } else if (option.path == PathKind::kFolder) {
    action = "_files -/";
  } else if (option.path == PathKind::kFile) {
    action = CompleteFiles(option.endings);
  }
  return fmt::format(":{}:{}", Escaped(name, ":"), action);
}

// "'(-o --output)'{-o+,--output=}'[Folder]:DIR:_files -/'" with one word for each name.
std::string OptionSpecs(const OptionHelp& option) {
  const std::vector<std::string> names = NamesOf(option);
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : " ") + name;
  std::string specs;
  for (const std::string& name : names) {
    std::string spec;
    if (option.many) {
      spec = "*";
    } else if (names.size() > 1) {
      spec = "(" + all + ")";
    }
    spec += name;
    const bool has_value = !option.type.empty();
    if (has_value) spec += name.starts_with("--") ? "=" : "+";
    spec += fmt::format("[{}]", Escaped(option.text, "[]"));
    if (has_value) spec += ValueAction(option);
    specs += " \\\n    " + QuotedForShell(spec);
  }
  return specs;
}

std::string CommandFunction(const std::string& name, const CommandHelp& command) {
  std::string text = fmt::format("_{}_{}() {{\n", name, command.name);
  if (!command.usage_end.empty()) {
    text +=
        "  local mark=${words[(i)--]}\n"
        "  if (( CURRENT > mark )); then # the command line of another program\n"
        "    shift $mark words\n"
        "    (( CURRENT -= mark ))\n"
        "    _normal\n"
        "    return\n"
        "  fi\n";
  }
  text += "  _arguments -S";
  for (const OptionHelp& option : OptionsOf(command)) text += OptionSpecs(option);
  for (const OptionHelp& option : command.options) {
    if (!option.IsArgument()) continue;
    text += " \\\n    " + QuotedForShell((option.many ? "*" : "") + ValueAction(option));
  }
  return text + "\n}\n\n";
}

}  // namespace

std::string ZshCompletion(const ProgramHelp& program) {
  const std::string& name = program.name;
  std::string text = fmt::format(
      "#compdef {0}\n"
      "# Completion of {0} for zsh, written by {0} itself.\n\n",
      name);
  std::string commands;
  for (const CommandHelp* command : program.commands) {
    text += CommandFunction(name, *command);
    commands += "    " + QuotedForShell(command->name + ':' + Escaped(command->text, ":")) + '\n';
  }
  std::string options;
  for (const OptionHelp& option : OptionsOf(program)) options += OptionSpecs(option);
  const OptionHelp* const file = FirstArgument(DefaultCommand(program));
  return text + fmt::format(
                    R"(_{0}_help() {{
  known=(${{known:#help:*}})
  (( CURRENT == 2 )) && _describe command known
}}

_{0}() {{
  local -a known=(
{1}    'help:Print the help on a command'
  )
  if (( CURRENT == 2 )); then
    if [[ $words[2] == -* ]]; then
      _arguments -S{2}
    else
      _describe command known
      {3}
    fi
    return
  fi
  local command=$words[2]
  if (( $+functions[_{0}_$command] )); then
    shift words
    (( CURRENT-- ))
  else
    command={4} # a file alone
  fi
  _{0}_$command
}}

if [[ $funcstack[1] == _{0} ]]; then
  _{0} "$@"
else
  compdef _{0} {0}
fi
)",
                    name, commands, options, CompleteFiles(file->endings), program.default_command);
}

}  // namespace warpsight
