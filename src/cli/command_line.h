#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/help/description.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

// The command line: commands, their options and their help. CLI11 does the parsing, and only
// command_line.cc includes its headers, which take many seconds to compile. Errors name the option
// and what is allowed.
namespace warpsight {

using RunCommand = std::function<int()>;

// An option or argument that takes values. The setters return the option itself.
class Option {
 public:
  Option(CLI::Option* option, OptionHelp* help) : option_(option), help_(help) {}

  // What stands for the value in the help.
  Option& Type(const std::string& name);
  Option& Required();
  // The help says what the variable holds now.
  Option& ShowDefault();
  // A comma separates values.
  Option& CommaSeparated();
  // May be repeated, with one value each time, so that an argument may follow.
  Option& OneValueEach();
  // Values that shells complete and man pages list; with a title the help does, too.
  Option& Choices(std::vector<Term> choices, const std::string& title = "");
  // Values are files; shells complete those with these endings.
  Option& Files(std::vector<std::string> endings);
  // Values are folders.
  Option& Folders();

 private:
  CLI::Option* option_;
  OptionHelp* help_;
};

class Command {
 public:
  using Checks = std::vector<std::function<Status()>>;
  struct Parts {
    CLI::App* app = nullptr;
    CommandHelp help;
    Checks checks;
    std::string unknown_hint;
    RunCommand run;
  };
  explicit Command(Parts* parts) : parts_(parts) {}

  // Names: "-o,--output", or without dashes for an argument. `value` must outlive parsing. For
  // texts and lists of texts.
  template <typename Value>
  Option AddOption(const std::string& names, Value& value, const std::string& help);
  // A number from `low` to `high`, both included; for the kinds at the end of command_line.cc.
  template <typename Number, typename Value>
  Option AddNumber(const std::string& names, Value& value, Number low, Number high,
                   const std::string& help);
  // One of these texts.
  Option AddChoice(const std::string& names, std::string& value, std::vector<std::string> choices,
                   const std::string& help);
  void AddFlag(const std::string& names, bool& value, const std::string& help);
  // --NAME and --no-NAME, of which one may be given.
  void AddFlagPair(const std::string& name, bool& value, const std::string& help,
                   const std::string& help_without);
  // Checked when all options are read; its Error is one of usage.
  void AddCheck(std::function<Status()> check) { parts_->checks.push_back(std::move(check)); }
  // What is behind the options; CommandHelp::footer says how.
  void SetFooter(const std::string& text) { parts_->help.footer = text; }
  void AddExample(const std::string& line, const std::string& what_it_does);
  // A variable of the environment that the command reads.
  void AddVariable(const std::string& name, const std::string& text);
  void AddFile(const std::string& name, const std::string& text);
  // Where the command has others than the program.
  void SetExitCodes(std::vector<Term> codes) { parts_->help.exit_codes = std::move(codes); }
  // What follows the arguments in the line of usage, and the advice on one that is not known.
  void SetUsageEnd(const std::string& text, const std::string& unknown_hint);
  // The function to run for this command.
  void SetRun(RunCommand run) { parts_->run = std::move(run); }

 private:
  OptionHelp& AddHelp(const std::string& names, const std::string& text);

  Parts* parts_;
};

class CommandLine {
 public:
  struct Parsed {
    RunCommand run;      // empty where there is nothing to run
    std::string output;  // help
    std::string error;   // what is wrong, without a line break at the end
  };

  // Help is wrapped to `width` columns. The program has no commands yet.
  CommandLine(ProgramHelp program, size_t width);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command AddCommand(const std::string& name, const std::string& help);
  // All that was said about the program and its commands.
  const ProgramHelp& description() const { return help_; }
  // The arguments without the name of the program.
  Parsed Parse(std::vector<std::string> arguments);

 private:
  Command::Parts* FindCommand(const std::string& name);
  Parsed ParseCommand(Command::Parts& command, std::vector<std::string> arguments);
  Parsed Help(const std::vector<std::string>& arguments);
  std::vector<std::string> CommandNames() const;

  ProgramHelp help_;
  size_t width_;
  std::deque<std::unique_ptr<Command::Parts>> commands_;
  std::vector<std::unique_ptr<CLI::App>> apps_;
};

}  // namespace warpsight
