#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

// What the program and its commands say about themselves: help, man pages and completions are made
// from it alone, so that they cannot differ.
namespace warpsight {

// A name and what it means: a value of an option, a variable, an exit code, a file, an example.
struct Term {
  std::string name;
  std::string text = {};
};

// What the value of an option is the path of.
enum class PathKind : uint8_t { kNone, kFile, kFolder };

// An option, or an argument, whose name has no dashes.
struct OptionHelp {
  std::string names;  // "-o,--output"
  std::string type;   // of its value; empty for a flag
  std::string text;
  std::string default_value = {};         // empty: the text says it
  std::vector<Term> choices = {};         // values there are; empty: others, too
  std::string choices_title = {};         // of the list of them in the help; empty: no list
  PathKind path = PathKind::kNone;        // of values
  std::vector<std::string> endings = {};  // of files that fit; empty: all do
  bool required = false;
  bool many = false;             // may be repeated
  bool comma_separated = false;  // a comma separates values

  bool IsArgument() const { return !names.starts_with('-'); }
  bool HasDescribedChoices() const { return !choices.empty() && !choices.front().text.empty(); }
};

struct CommandHelp {
  std::string name;
  std::string text;
  std::string usage_end;  // of the line of usage, such as "-- PROGRAM"
  std::deque<OptionHelp> options;
  // Behind the options: each line is a paragraph, or, where it begins with a blank, to be typed.
  std::string footer;
  std::vector<Term> examples;  // the name is the line to type
  std::vector<Term> variables;
  std::vector<Term> files;
  std::vector<Term> exit_codes;  // empty: the program's
};

struct ProgramHelp {
  std::string name;
  std::string version;
  std::string text;  // paragraphs, one per line; the first says what the program is
  std::vector<CommandHelp*> commands;
  std::string default_command;  // for a first argument that is a file
  std::string overview_end;     // lines behind the commands where there is no argument
  std::vector<Term> examples;
  std::vector<Term> variables;  // of all commands
  std::vector<Term> files;
  std::vector<Term> exit_codes;
};

// The names of an option, one by one: "-o", "--output".
std::vector<std::string> NamesOf(const OptionHelp& option);

// The options of a command as the user has them: its own, and --help.
std::vector<OptionHelp> OptionsOf(const CommandHelp& command);
// The same before a command.
std::vector<OptionHelp> OptionsOf(const ProgramHelp& program);

// "[OPTIONS] [PROFILE|TRACE...]".
std::string ArgumentsOf(const CommandHelp& command);

}  // namespace warpsight
