#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/help/completions.h"

namespace warpsight {
namespace {

// Works without the package bash-completion, and uses it where it is there.
constexpr std::string_view kFunctions = R"(
# Words that begin with what was typed.
_NAME_words() { # TYPED WORDS
  mapfile -t COMPREPLY < <(compgen -W "$2" -- "$1")
}

# The last value of a list with commas.
_NAME_list() { # TYPED WORDS
  local before=
  [[ $1 == *,* ]] && before=${1%,*},
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$2" -- "${1##*,}")
}

_NAME_folders() { # TYPED
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$1")
}

# Folders, and files with one of the endings; all files where none has.
_NAME_files() { # TYPED ENDINGS...
  local typed=$1 ending files=()
  shift
  for ending; do
    mapfile -t -O ${#files[@]} files < <(compgen -f -X "!*$ending" -- "$typed")
  done
  compopt -o filenames 2>/dev/null
  if ((${#files[@]} == 0)); then
    mapfile -t COMPREPLY < <(compgen -f -- "$typed")
  else
    mapfile -t COMPREPLY < <(printf '%s\n' "${files[@]}"; compgen -d -- "$typed")
  fi
}

# A command line of another program, which begins at word FIRST.
_NAME_program() { # TYPED FIRST
  if declare -F _command_offset >/dev/null; then
    _command_offset "$2"
  elif ((COMP_CWORD == $2)); then
    mapfile -t COMPREPLY < <(compgen -c -- "$1")
  else
    _NAME_files "$1"
  fi
}
)";

std::string Joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// The line that completes the value of an option or an argument; empty where nothing can.
std::string CompleteValue(const std::string& name, const OptionHelp& option) {
  if (!option.choices.empty()) {
    return fmt::format("_{}_{} \"$current\" '{}'", name, option.comma_separated ? "list" : "words",
                       NamesIn(option.choices));
  }
  if (option.path == PathKind::kFolder) return fmt::format("_{}_folders \"$current\"", name);
  if (option.path != PathKind::kFile) return {};
  return fmt::format("_{}_files \"$current\"{}{}", name, option.endings.empty() ? "" : " ",
                     Joined(option.endings));
}

std::string CommandCase(const std::string& name, const CommandHelp& command) {
  std::string text = fmt::format("    {})\n", command.name);
  if (!command.usage_end.empty()) {
    text += fmt::format(
        "      for ((i = 2; i < COMP_CWORD; i++)); do\n"
        "        [[ ${{COMP_WORDS[i]}} == -- ]] && {{ _{}_program \"$current\" $((i + 1)); return; "
        "}}\n"
        "      done\n",
        name);
  }
  std::string values;
  std::vector<std::string> names;
  for (const OptionHelp& option : OptionsOf(command)) {
    const std::vector<std::string> own = NamesOf(option);
    names.insert(names.end(), own.begin(), own.end());
    if (option.type.empty()) continue;
    const std::string complete = CompleteValue(name, option);
    values += fmt::format("        {}) {}{}return ;;\n", fmt::join(own, " | "), complete,
                          complete.empty() ? "" : "; ");
  }
  if (!values.empty()) text += "      case $previous in\n" + values + "      esac\n";
  text += fmt::format("      options='{}{}'\n", Joined(names),
                      command.usage_end.starts_with("--") ? " --" : "");
  const OptionHelp* const argument = FirstArgument(command);
  const std::string complete = argument == nullptr ? "" : CompleteValue(name, *argument);
  if (!complete.empty()) text += fmt::format("      [[ $current != -* ]] && {}\n", complete);
  return text + "      ;;\n";
}

}  // namespace

std::string BashCompletion(const ProgramHelp& program) {
  const std::string& name = program.name;
  std::vector<std::string> commands;
  commands.reserve(program.commands.size());
  for (const CommandHelp* command : program.commands) commands.push_back(command->name);
  std::vector<std::string> options;
  for (const OptionHelp& option : OptionsOf(program)) {
    const std::vector<std::string> own = NamesOf(option);
    options.insert(options.end(), own.begin(), own.end());
  }
  const OptionHelp* const file = FirstArgument(DefaultCommand(program));
  std::string text = fmt::format("# Completion of {0} for bash, written by {0} itself.\n", name);
  text += FunctionsFor(name, kFunctions);
  text += fmt::format(
      R"(
_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command=${{COMP_WORDS[1]}} options= i
  COMPREPLY=()
  # "--name=value" comes as three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  if ((COMP_CWORD == 1)); then
    if [[ $current == -* ]]; then
      _{0}_words "$current" '{1}'
    else
      _{0}_words "$current" '{2} help'
      ((${{#COMPREPLY[@]}})) || {3}
    fi
    return
  fi
  case $command in
    {4} | help) ;;
    *) command={5} ;;
  esac
  case $command in
    help)
      ((COMP_CWORD == 2)) && _{0}_words "$current" '{2}'
      ;;
)",
      name, Joined(options), Joined(commands), CompleteValue(name, *file),
      fmt::join(commands, " | "), program.default_command);
  for (const CommandHelp* command : program.commands) text += CommandCase(name, *command);
  return text + fmt::format(
                    "  esac\n"
                    "  [[ $current == -* ]] && _{0}_words \"$current\" \"$options\"\n"
                    "  return 0\n"
                    "}}\n"
                    "complete -F _{0} {0}\n",
                    name);
}

}  // namespace warpsight
