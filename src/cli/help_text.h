#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

// The help as text: pure functions of what the commands say about themselves.
namespace warpsight {

// An option, or an argument, whose name has no dashes.
struct OptionHelp {
  std::string names;  // "-o,--output"
  std::string type;   // of its value; empty for a flag
  std::string text;
  std::string default_value = {};  // empty: the text says it
  bool required = false;
  bool many = false;  // arguments: may be repeated

  bool IsArgument() const { return !names.starts_with('-'); }
};

struct CommandHelp {
  std::string name;
  std::string text;
  std::string usage_end;  // of the line of usage, such as "-- PROGRAM"
  std::deque<OptionHelp> options;
  // Lines behind the options. Those that begin with a blank stay as they are, except that what
  // follows two blanks is wrapped in its column; others are paragraphs.
  std::string footer;
};

struct ProgramHelp {
  std::string name;
  std::string version;
  std::string text;
  std::vector<CommandHelp*> commands;
  std::string examples;  // lines, shown with the overview
  std::string footer;    // like that of commands
};

// `warpsight report --help`.
std::string HelpOnCommand(const ProgramHelp& program, const CommandHelp& command, size_t width);
// `warpsight --help`.
std::string HelpOnProgram(const ProgramHelp& program, size_t width);
// `warpsight` alone: what it is, its commands, examples.
std::string Overview(const ProgramHelp& program, size_t width);

}  // namespace warpsight
