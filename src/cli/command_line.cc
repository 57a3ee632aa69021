#include "cli/command_line.h"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <utility>

namespace warpsight {

namespace {
constexpr int kHelpColumn = 34;  // where the texts about options begin
}

Option& Option::Type(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::Required() {
  option_->required();
  return *this;
}

Option& Option::ShowDefault() {
  option_->capture_default_str();
  return *this;
}

Option& Option::CommaSeparated() {
  option_->delimiter(',');
  return *this;
}

Option& Option::OneValueEach() {
  option_->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return *this;
}

template <typename Number>
Option& Option::Between(Number low, Number high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

template <typename Value>
Option Command::AddOption(const std::string& names, Value& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

void Command::AddFlag(const std::string& names, bool& value, const std::string& help) {
  app_->add_flag(names, value, help);
}

void Command::AddFlagPair(const std::string& name, bool& value, const std::string& help,
                          const std::string& help_without) {
  CLI::Option* with = app_->add_flag_callback(
      "--" + name, [&value] { value = true; }, help);
  app_->add_flag_callback(
          "--no-" + name, [&value] { value = false; }, help_without)
      ->excludes(with);
}

void Command::SetFooter(const std::string& text) { app_->footer(text); }

void Command::SetRun(RunCommand run) {
  app_->callback([chosen = chosen_, run = std::move(run)] { *chosen = run; });
}

void Command::SetRunWithUnknown(std::function<int(const std::vector<std::string>&)> run) {
  app_->allow_extras();
  app_->callback([app = app_, chosen = chosen_, run = std::move(run)] {
    *chosen = [run, unknown = app->remaining()] { return run(unknown); };
  });
}

CommandLine::CommandLine(const std::string& name, const std::string& description,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->get_formatter()->column_width(kHelpColumn);
}

CommandLine::~CommandLine() = default;

Command CommandLine::AddCommand(const std::string& name, const std::string& help) {
  return Command(app_->add_subcommand(name, help), &chosen_);
}

void CommandLine::SetFooter(const std::string& text) { app_->footer(text); }

CommandLine::Parsed CommandLine::Parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream output;
    std::ostringstream errors;
    app_->exit(error, output, errors);
    std::string message = errors.str();
    while (message.ends_with('\n')) message.pop_back();
    return {.run = {}, .output = output.str(), .error = std::move(message)};
  }
  return {.run = chosen_, .output = {}, .error = {}};
}

template Option Command::AddOption(const std::string&, std::string&, const std::string&);
template Option Command::AddOption(const std::string&, std::vector<std::string>&,
                                   const std::string&);
template Option Command::AddOption(const std::string&, int&, const std::string&);
template Option Command::AddOption(const std::string&, int64_t&, const std::string&);
template Option Command::AddOption(const std::string&, size_t&, const std::string&);
template Option Command::AddOption(const std::string&, double&, const std::string&);
template Option Command::AddOption(const std::string&, std::optional<int64_t>&, const std::string&);
template Option& Option::Between(int, int);
template Option& Option::Between(int64_t, int64_t);
template Option& Option::Between(size_t, size_t);
template Option& Option::Between(double, double);

}  // namespace warpsight
