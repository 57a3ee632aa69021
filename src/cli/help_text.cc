#include "cli/help_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "analysis/text/wrap_text.h"

namespace warpsight {
namespace {

// Where the texts about options begin; narrow terminals have less room for their names.
constexpr size_t kOptionColumn = 30;
constexpr size_t kNarrowOptionColumn = 24;
constexpr size_t kNarrow = 80;
constexpr size_t kCommandColumn = 12;
// Longer lines are hard to read.
constexpr size_t kWidest = 120;

size_t OptionColumn(size_t width) { return width < kNarrow ? kNarrowOptionColumn : kOptionColumn; }

std::string Paragraph(std::string_view text, size_t width) {
  return HangingText("", 0, text, width);
}

// "  --port PORT   Port ... (default: 8000)"
std::string OptionLine(const OptionHelp& option, size_t width) {
  std::string head = "  " + option.names;
  if (!option.IsArgument() && !option.type.empty()) head += ' ' + option.type;
  std::string text = option.text;
  if (!option.default_value.empty()) text += fmt::format(" (default: {})", option.default_value);
  const size_t column = OptionColumn(width);
  if (head.size() + 2 <= column) return HangingText(head, column, text, width);
  return head + '\n' + HangingText("", column, text, width);
}

// A line that begins with a blank: "  chrome       Chrome JSON, as PyTorch writes it".
std::string IndentedLine(std::string_view line, size_t width) {
  const size_t begin = line.find_first_not_of(' ');
  const size_t gap = begin == line.npos ? line.npos : line.find("  ", begin);
  const size_t text = gap == line.npos ? line.npos : line.find_first_not_of(' ', gap);
  if (text == line.npos) return std::string(line) + '\n';
  return HangingText(line.substr(0, gap), text, line.substr(text), width);
}

std::string Lines(std::string_view text, size_t width) {
  std::string all;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.empty()) {
      all += '\n';
    } else {
      all += line.front() == ' ' ? IndentedLine(line, width) : Paragraph(line, width);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

std::string Usage(const ProgramHelp& program, const CommandHelp& command, size_t width) {
  std::string arguments = "[OPTIONS]";
  for (const OptionHelp& option : command.options) {
    if (!option.IsArgument()) continue;
    const std::string name = option.names + (option.many ? "..." : "");
    arguments += option.required ? ' ' + name : fmt::format(" [{}]", name);
  }
  if (!command.usage_end.empty()) arguments += ' ' + command.usage_end;
  const std::string head = fmt::format("Usage: {} {}", program.name, command.name);
  return HangingText(head, head.size() + 1, arguments, width);
}

std::string CommandLines(const ProgramHelp& program, size_t width) {
  std::string lines = "Commands:\n";
  for (const CommandHelp* command : program.commands) {
    lines += HangingText("  " + command->name, kCommandColumn, command->text, width);
  }
  return lines;
}

}  // namespace

std::string HelpOnCommand(const ProgramHelp& program, const CommandHelp& command, size_t width) {
  width = std::min(width, kWidest);
  std::string help = Paragraph(command.text, width) + Usage(program, command, width);
  std::string arguments;
  std::string options;
  for (const OptionHelp& option : command.options) {
    (option.IsArgument() ? arguments : options) += OptionLine(option, width);
  }
  if (!arguments.empty()) help += "\nArguments:\n" + arguments;
  help += "\nOptions:\n" + options +
          OptionLine({.names = "-h,--help", .type = "", .text = "Print this help"}, width);
  if (!command.footer.empty()) help += '\n' + Lines(command.footer, width);
  return help;
}

std::string HelpOnProgram(const ProgramHelp& program, size_t width) {
  width = std::min(width, kWidest);
  std::string help = Lines(program.text, width);
  help += fmt::format("\nUsage: {} COMMAND [OPTIONS] ...\n       {} FILE\n\n", program.name,
                      program.name);
  help += CommandLines(program, width);
  help += "\nOptions:\n";
  for (const auto& [names, text] :
       {std::pair("-h,--help", "Print this help; help COMMAND is the help on a command"),
        std::pair("-V,--version", "Print the version")}) {
    help += OptionLine({.names = names, .type = "", .text = text}, width);
  }
  return help + '\n' + Lines(program.footer, width);
}

std::string Overview(const ProgramHelp& program, size_t width) {
  width = std::min(width, kWidest);
  const std::string first(program.text, 0, program.text.find('\n'));
  return Paragraph(first, width) + '\n' + CommandLines(program, width) + '\n' +
         Lines(program.examples, width);
}

}  // namespace warpsight
