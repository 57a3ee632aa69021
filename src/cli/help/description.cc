#include "cli/help/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace warpsight {

std::vector<std::string> NamesOf(const OptionHelp& option) {
  std::vector<std::string> names;
  for (size_t at = 0; at < option.names.size();) {
    const size_t end = std::min(option.names.find(',', at), option.names.size());
    names.push_back(option.names.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

std::vector<OptionHelp> OptionsOf(const CommandHelp& command) {
  std::vector<OptionHelp> options;
  std::copy_if(command.options.begin(), command.options.end(), std::back_inserter(options),
               [](const OptionHelp& option) { return !option.IsArgument(); });
  options.push_back({.names = "-h,--help", .type = "", .text = "Print this help"});
  return options;
}

std::vector<OptionHelp> OptionsOf(const ProgramHelp&) {
  return {{.names = "-h,--help",
           .type = "",
           .text = "Print this help; help COMMAND is the help on a command"},
          {.names = "-V,--version",
           .type = "",
           .text = "Print the version and how the program was built"}};
}

std::string ArgumentsOf(const CommandHelp& command) {
  std::string arguments = "[OPTIONS]";
  for (const OptionHelp& option : command.options) {
    if (!option.IsArgument()) continue;
    const std::string name = option.names + (option.many ? "..." : "");
    arguments += option.required ? ' ' + name : fmt::format(" [{}]", name);
  }
  if (!command.usage_end.empty()) arguments += ' ' + command.usage_end;
  return arguments;
}

}  // namespace warpsight
