#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "cli/help/help_text.h"
#include "cli/suggestion.h"

namespace warpsight {

namespace {

// Throws what the parser reports where the text is not a number in the range.
template <typename Number>
Number ReadNumber(const std::string& name, const std::string& text, Number low, Number high) {
  using Wide = std::conditional_t<std::is_floating_point_v<Number>, double, int64_t>;
  Wide value{};
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  const bool is_number = error == std::errc() && end == last;
  // Written so that what is not a number at all (nan) is refused.
  const bool within = value >= static_cast<Wide>(low) && value <= static_cast<Wide>(high);
  if (is_number && within) return static_cast<Number>(value);
  throw CLI::ValidationError(fmt::format("{}: '{}' is not a {}number from {} to {}", name, text,
                                         std::is_floating_point_v<Number> ? "" : "whole ", low,
                                         high));
}

// "-o,--output" -> "--output".
std::string LongName(const std::string& names) {
  const size_t at = names.find("--");
  return at == names.npos ? names : names.substr(at, names.find(',', at) - at);
}

// The options' names that begin with two dashes.
std::vector<std::string> LongNames(const CommandHelp& command) {
  std::vector<std::string> long_names;
  for (const OptionHelp& option : OptionsOf(command)) {
    for (const std::string& name : NamesOf(option)) {
      if (name.starts_with("--")) long_names.push_back(name);
    }
  }
  return long_names;
}

// A file, or a text that can only be meant as the path of one.
bool LooksLikeFile(const std::string& text) {
  if (text == "-" || text.find_first_of("/.") != text.npos) return true;
  std::error_code error;
  return std::filesystem::exists(text, error);
}

std::string DescribeMissing(const CLI::App& app, const std::string& fallback) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_required() && option->count() == 0) {
      return fmt::format("specify {}", option->get_name());
    }
  }
  return fallback;
}

// An option without its value, or one that was given too often.
std::string DescribeMismatch(const CLI::App& app, const std::string& message) {
  const std::string name = message.substr(0, message.find(':'));
  const CLI::Option* const option = app.get_option_no_throw(name);
  if (option == nullptr) return message;
  if (option->count() > 1) return fmt::format("{} was specified more than once", name);
  return fmt::format("{} needs a value: {} {}", name, name, option->get_type_name());
}

std::string DescribeUnknown(const Command::Parts& command) {
  const std::vector<std::string> unknown = command.app->remaining();
  const auto option = std::find_if(unknown.begin(), unknown.end(), [](const std::string& text) {
    return text.size() > 1 && text.starts_with('-');
  });
  const bool is_option = option != unknown.end();
  const std::string& text = is_option ? *option : unknown.front();
  std::string hint;
  if (is_option) hint = DidYouMean(text.substr(0, text.find('=')), LongNames(command.help));
  if (hint.empty()) {
    hint = "; " + (command.unknown_hint.empty()
                       ? fmt::format("see warpsight {} --help", command.help.name)
                       : command.unknown_hint);
  }
  return fmt::format("unknown {} '{}'{}", is_option ? "option" : "argument", text, hint);
}

}  // namespace

Option& Option::Type(const std::string& name) {
  option_->type_name(name);
  help_->type = name;
  return *this;
}

Option& Option::Required() {
  option_->required();
  help_->required = true;
  return *this;
}

Option& Option::ShowDefault() {
  help_->default_value = option_->get_default_str();
  return *this;
}

Option& Option::CommaSeparated() {
  help_->comma_separated = true;
  option_->delimiter(',')->allow_extra_args(false);
  return *this;
}

Option& Option::OneValueEach() {
  option_->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return *this;
}

Option& Option::Choices(std::vector<Term> choices, const std::string& title) {
  help_->choices = std::move(choices);
  help_->choices_title = title;
  return *this;
}

Option& Option::Files(std::vector<std::string> endings) {
  help_->path = PathKind::kFile;
  help_->endings = std::move(endings);
  return *this;
}

Option& Option::Folders() {
  help_->path = PathKind::kFolder;
  return *this;
}

OptionHelp& Command::AddHelp(const std::string& names, const std::string& text) {
  OptionHelp& help = parts_->help.options.emplace_back();
  help.names = names;
  help.text = text;
  return help;
}

template <typename Value>
Option Command::AddOption(const std::string& names, Value& value, const std::string& help) {
  OptionHelp& described = AddHelp(names, help);
  described.many = !std::is_same_v<Value, std::string>;
  CLI::Option* const option = parts_->app->add_option(names, value);
  if constexpr (std::is_same_v<Value, std::string>) option->default_str(value);
  return {option, &described};
}

template <typename Number, typename Value>
Option Command::AddNumber(const std::string& names, Value& value, Number low, Number high,
                          const std::string& help) {
  const auto read = [&value, name = LongName(names), low, high](const std::string& text) {
    value = ReadNumber<Number>(name, text, low, high);
  };
  CLI::Option* const option = parts_->app->add_option_function<std::string>(names, read);
  if constexpr (std::is_same_v<Value, Number>) option->default_str(fmt::format("{}", value));
  return {option, &AddHelp(names, help)};
}

Option Command::AddChoice(const std::string& names, std::string& value,
                          std::vector<std::string> choices, const std::string& help) {
  OptionHelp& described = AddHelp(names, help);
  described.choices.reserve(choices.size());
  for (const std::string& choice : choices) described.choices.push_back({choice, ""});
  const auto read = [&value, name = LongName(names),
                     known = std::move(choices)](const std::string& text) {
    if (std::find(known.begin(), known.end(), text) == known.end()) {
      throw CLI::ValidationError(
          fmt::format("{}: '{}' is not one of {}", name, text, fmt::join(known, ", ")));
    }
    value = text;
  };
  CLI::Option* const option = parts_->app->add_option_function<std::string>(names, read);
  option->default_str(value);
  return {option, &described};
}

void Command::AddFlag(const std::string& names, bool& value, const std::string& help) {
  parts_->app->add_flag(names, value);
  AddHelp(names, help);
}

void Command::AddFlagPair(const std::string& name, bool& value, const std::string& help,
                          const std::string& help_without) {
  CLI::Option* const with = parts_->app->add_flag_callback("--" + name, [&value] { value = true; });
  parts_->app->add_flag_callback("--no-" + name, [&value] { value = false; })->excludes(with);
  AddHelp("--" + name, help);
  AddHelp("--no-" + name, help_without);
}

void Command::SetUsageEnd(const std::string& text, const std::string& unknown_hint) {
  parts_->help.usage_end = text;
  parts_->unknown_hint = unknown_hint;
}

void Command::AddExample(const std::string& line, const std::string& what_it_does) {
  parts_->help.examples.push_back({line, what_it_does});
}

void Command::AddVariable(const std::string& name, const std::string& text) {
  parts_->help.variables.push_back({name, text});
}

void Command::AddFile(const std::string& name, const std::string& text) {
  parts_->help.files.push_back({name, text});
}

CommandLine::CommandLine(ProgramHelp program, size_t width)
    : help_(std::move(program)), width_(width) {}

CommandLine::~CommandLine() = default;

Command CommandLine::AddCommand(const std::string& name, const std::string& help) {
  CLI::App* const app = apps_.emplace_back(std::make_unique<CLI::App>(help, name)).get();
  Command::Parts* const parts = commands_.emplace_back(std::make_unique<Command::Parts>()).get();
  parts->app = app;
  parts->help.name = name;
  parts->help.text = help;
  help_.commands.push_back(&parts->help);
  return Command(parts);
}

Command::Parts* CommandLine::FindCommand(const std::string& name) {
  for (const auto& command : commands_) {
    if (command->help.name == name) return command.get();
  }
  return nullptr;
}

std::vector<std::string> CommandLine::CommandNames() const {
  std::vector<std::string> names = {"help"};
  for (const auto& command : commands_) names.push_back(command->help.name);
  return names;
}

CommandLine::Parsed CommandLine::Help(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return {.run = {}, .output = HelpOnProgram(help_, width_), .error = {}};
  const Command::Parts* const command = FindCommand(arguments.front());
  if (command != nullptr) {
    return {.run = {}, .output = HelpOnCommand(help_, command->help, width_), .error = {}};
  }
  return {.run = {},
          .output = {},
          .error = fmt::format("help: there is no command '{}'{}", arguments.front(),
                               DidYouMean(arguments.front(), CommandNames()))};
}

CommandLine::Parsed CommandLine::Parse(std::vector<std::string> arguments) {
  if (arguments.empty()) return {.run = {}, .output = Overview(help_, width_), .error = {}};
  const std::string first =
      arguments.front() == "-V" || arguments.front() == "--version" ? "version" : arguments.front();
  if (Command::Parts* const command = FindCommand(first); command != nullptr) {
    arguments.erase(arguments.begin());
    return ParseCommand(*command, std::move(arguments));
  }
  if (first == "help" || first == "-h" || first == "--help") {
    arguments.erase(arguments.begin());
    return Help(arguments);
  }
  if (first.starts_with('-') && first != "-") {
    const std::string hint = DidYouMean(first, {"--help", "--version"});
    return {.run = {},
            .output = {},
            .error = fmt::format(
                "unknown option '{}'{}", first,
                hint.empty() ? "; options follow a command: see warpsight --help" : hint)};
  }
  if (LooksLikeFile(first)) {
    return ParseCommand(*FindCommand(help_.default_command), std::move(arguments));
  }
  const std::string hint = DidYouMean(first, CommandNames());
  return {.run = {},
          .output = {},
          .error = fmt::format("there is no command and no file '{}'{}", first,
                               hint.empty() ? "; see warpsight --help" : hint)};
}

CommandLine::Parsed CommandLine::ParseCommand(Command::Parts& command,
                                              std::vector<std::string> arguments) {
  const CLI::App& app = *command.app;
  const auto failed = [&](const std::string& what) {
    return Parsed{.run = {}, .output = {}, .error = fmt::format("{}: {}", command.help.name, what)};
  };
  try {
    std::reverse(arguments.begin(), arguments.end());  // as the parser wants them
    command.app->parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return {.run = {}, .output = HelpOnCommand(help_, command.help, width_), .error = {}};
  } catch (const CLI::ExtrasError&) {
    return failed(DescribeUnknown(command));
  } catch (const CLI::RequiredError& error) {
    return failed(fmt::format("{}; see warpsight {} --help", DescribeMissing(app, error.what()),
                              command.help.name));
  } catch (const CLI::ArgumentMismatch& error) {
    return failed(DescribeMismatch(app, error.what()));
  } catch (const CLI::ValidationError& error) {
    return {.run = {}, .output = {}, .error = error.what()};
  } catch (const CLI::ParseError& error) {
    return failed(error.what());
  }
  for (const auto& check : command.checks) {
    if (const Status status = check(); !status.ok()) {
      return {.run = {}, .output = {}, .error = status.error().message};
    }
  }
  return {.run = command.run, .output = {}, .error = {}};
}

template Option Command::AddOption(const std::string&, std::string&, const std::string&);
template Option Command::AddOption(const std::string&, std::vector<std::string>&,
                                   const std::string&);
template Option Command::AddNumber(const std::string&, int&, int, int, const std::string&);
template Option Command::AddNumber(const std::string&, int64_t&, int64_t, int64_t,
                                   const std::string&);
template Option Command::AddNumber(const std::string&, size_t&, size_t, size_t, const std::string&);
template Option Command::AddNumber(const std::string&, double&, double, double, const std::string&);
template Option Command::AddNumber(const std::string&, std::optional<int64_t>&, int64_t, int64_t,
                                   const std::string&);

}  // namespace warpsight
