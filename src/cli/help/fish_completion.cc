#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/help/completions.h"

namespace warpsight {
namespace {

// A text as fish reads it as one word.
std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\\' || c == '\'') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string Names(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// Functions that the rules call.
constexpr std::string_view kFunctions = R"(
# What was typed of a value, without "--name=".
function __NAME_typed
    commandline -ct | string replace -r '^--?[^=]*=' ''
end

# The command; COMMAND where the first argument is a file.
function __NAME_is # COMMANDS...
    set -l tokens (commandline -opc)
    set -e tokens[1]
    test (count $tokens) -gt 0; or return 1
    contains -- -- $tokens; and return 1
    set -l command $tokens[1]
    contains -- $command $__NAME_commands help; or set command $__NAME_default_command
    contains -- $command $argv
end

function __NAME_at_start
    test (count (commandline -opc)) -eq 1
end

# Folders, and files with one of the endings; all files where none has.
function __NAME_files # ENDINGS...
    set -l all (__fish_complete_path (__NAME_typed))
    set -l endings (string escape --style=regex -- $argv | string join '|')
    set -l files (string match -r ".*(?:$endings)(?:\t.*)?\$" -- $all)
    if test (count $files) -eq 0
        printf '%s\n' $all
    else
        printf '%s\n' $files
        string match -r '.*/(?:\t.*)?$' -- $all
    end
end

function __NAME_folders
    __fish_complete_directories (__NAME_typed)
end

# The last value of a list with commas.
function __NAME_list # VALUES...
    set -l before (__NAME_typed | string replace -r '[^,]*$' '')
    printf '%s\n' $before$argv
end

# The command line of another program, behind "--".
function __NAME_program
    set -l tokens (commandline -opc)
    set -l mark (contains -i -- -- $tokens); or return
    set -e tokens[1..$mark]
    complete -C (string join ' ' -- (string escape -- $tokens) (commandline -ct))
end

function __NAME_has_program # COMMAND
    set -l tokens (commandline -opc)
    test (count $tokens) -gt 2; and test $tokens[2] = $argv[1]; and contains -- -- $tokens
end
)";

// What `complete -a` is given for values; empty where nothing can be said.
std::string Values(const std::string& name, const OptionHelp& option) {
  if (!option.choices.empty()) {
    std::string values;
    for (const Term& choice : option.choices) {
      values += values.empty() ? "" : " ";
      values += choice.name;
      if (!choice.text.empty()) values += "\\t" + Quoted(choice.text);
    }
    return option.comma_separated ? fmt::format("(__{}_list {})", name, values) : values;
  }
  if (option.path == PathKind::kFolder) return fmt::format("(__{}_folders)", name);
  if (option.path != PathKind::kFile) return {};
  if (option.endings.empty()) return fmt::format("(__fish_complete_path (__{}_typed))", name);
  return fmt::format("(__{}_files {})", name, Names(option.endings));
}

std::string Rule(const std::string& program, const std::string& condition,
                 const OptionHelp& option) {
  std::string rule = fmt::format("complete -c {} -n {}", program, Quoted(condition));
  for (const std::string& name : NamesOf(option)) {
    const bool is_long = name.starts_with("--");
    rule += fmt::format(" -{} {}", is_long ? 'l' : 's', name.substr(is_long ? 2 : 1));
  }
  if (!option.type.empty()) rule += " -x";
  if (const std::string values = Values(program, option); !values.empty()) {
    rule += " -a " + Quoted(values);
  }
  return rule + " -d " + Quoted(option.text) + '\n';
}

std::string CommandRules(const std::string& name, const CommandHelp& command) {
  const std::string condition = fmt::format("__{}_is {}", name, command.name);
  std::string rules;
  for (const OptionHelp& option : OptionsOf(command)) rules += Rule(name, condition, option);
  const OptionHelp* const argument = FirstArgument(command);
  const std::string values = argument == nullptr ? "" : Values(name, *argument);
  if (!values.empty()) {
    rules += fmt::format("complete -c {} -n {} -a {}\n", name, Quoted(condition), Quoted(values));
  }
  if (!command.usage_end.empty()) {
    rules += fmt::format("complete -c {0} -n '__{0}_has_program {1}' -a '(__{0}_program)'\n", name,
                         command.name);
  }
  return rules;
}

}  // namespace

std::string FishCompletion(const ProgramHelp& program) {
  const std::string& name = program.name;
  std::vector<std::string> commands;
  commands.reserve(program.commands.size());
  for (const CommandHelp* command : program.commands) commands.push_back(command->name);
  std::string text = fmt::format(
      "# Completion of {0} for fish, written by {0} itself.\n\n"
      "set -g __{0}_commands {1}\n"
      "set -g __{0}_default_command {2}\n",
      name, Names(commands), program.default_command);
  text += FunctionsFor(name, kFunctions);
  text += fmt::format("\ncomplete -c {} -f\n", name);
  const std::string at_start = fmt::format("__{}_at_start", name);
  for (const CommandHelp* command : program.commands) {
    text += fmt::format("complete -c {} -n {} -a {} -d {}\n", name, at_start, command->name,
                        Quoted(command->text));
  }
  text += fmt::format(
      "complete -c {0} -n {1} -a help -d 'Print the help on a command'\n"
      "complete -c {0} -n {1} -a {2}\n"
      "complete -c {0} -n '__{0}_is help' -a '{3}'\n",
      name, at_start, Quoted(Values(name, *FirstArgument(DefaultCommand(program)))),
      Names(commands));
  for (const OptionHelp& option : OptionsOf(program)) text += Rule(name, at_start, option);
  for (const CommandHelp* command : program.commands) text += CommandRules(name, *command);
  return text;
}

}  // namespace warpsight
