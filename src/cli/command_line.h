#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

// The command line: commands, their options and their help. CLI11 does the work, and only
// command_line.cc includes its headers, which take many seconds to compile.
namespace warpsight {

using RunCommand = std::function<int()>;

// An option or argument that takes values. The setters return the option itself.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  // What stands for the value in the help.
  Option& Type(const std::string& name);
  Option& Required();
  // The help says what the variable holds now.
  Option& ShowDefault();
  // A comma separates values.
  Option& CommaSeparated();
  // May be repeated, with one value each time, so that an argument may follow.
  Option& OneValueEach();
  // Inclusive, for numbers.
  template <typename Number>
  Option& Between(Number low, Number high);

 private:
  CLI::Option* option_;
};

class Command {
 public:
  explicit Command(CLI::App* app, RunCommand* chosen) : app_(app), chosen_(chosen) {}

  // Names: "-o,--output", or without dashes for an argument. `value` must outlive parsing. For
  // texts, lists of texts, and the kinds of numbers at the end of command_line.cc.
  template <typename Value>
  Option AddOption(const std::string& names, Value& value, const std::string& help);
  void AddFlag(const std::string& names, bool& value, const std::string& help);
  // --NAME and --no-NAME, of which one may be given.
  void AddFlagPair(const std::string& name, bool& value, const std::string& help,
                   const std::string& help_without);
  // Printed behind the help.
  void SetFooter(const std::string& text);
  // The function to run for this command.
  void SetRun(RunCommand run);
  // The same, with the arguments unknown to the parser, which it then accepts.
  void SetRunWithUnknown(std::function<int(const std::vector<std::string>&)> run);

 private:
  CLI::App* app_;
  RunCommand* chosen_;
};

class CommandLine {
 public:
  struct Parsed {
    RunCommand run;      // empty where there is nothing to run
    std::string output;  // help or version
    std::string error;   // what is wrong, without a line break at the end
  };

  CommandLine(const std::string& name, const std::string& description, const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command AddCommand(const std::string& name, const std::string& help);
  // Printed behind the program's help.
  void SetFooter(const std::string& text);
  Parsed Parse(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
  RunCommand chosen_;
};

}  // namespace warpsight
