#include "cli/help/help_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "analysis/text/wrap_text.h"

namespace warpsight {
namespace {

// Where the texts about options begin; narrow terminals have less room for their names.
constexpr size_t kOptionColumn = 30;
constexpr size_t kNarrowOptionColumn = 24;
constexpr size_t kNarrow = 80;
constexpr size_t kCommandColumn = 12;
constexpr size_t kChoiceColumn = 15;
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

// Each line is a paragraph, except those that begin with a blank, which stay as they are.
std::string Paragraphs(std::string_view text, size_t width) {
  std::string all;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    all += line.starts_with(' ') ? std::string(line) + '\n' : Paragraph(line, width);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

// What options can be set to, where the help lists it.
std::string ChoiceLists(const CommandHelp& command, size_t width) {
  std::string lists;
  for (const OptionHelp& option : command.options) {
    if (option.choices_title.empty()) continue;
    lists += fmt::format("\n{}:\n", option.choices_title);
    for (const Term& choice : option.choices) {
      lists += HangingText("  " + choice.name, kChoiceColumn, choice.text, width);
    }
  }
  return lists;
}

// Lines to type, which are never broken, so that they can be copied.
std::string Examples(const std::vector<Term>& examples, size_t width) {
  if (examples.empty()) return {};
  std::string text = "\nExamples:\n";
  for (const Term& example : examples) {
    text += HangingText("", 2, example.text + ':', width) + "    " + example.name + '\n';
  }
  return text;
}

std::string Usage(const ProgramHelp& program, const CommandHelp& command, size_t width) {
  const std::string head = fmt::format("Usage: {} {}", program.name, command.name);
  return HangingText(head, head.size() + 1, ArgumentsOf(command), width);
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
  for (const OptionHelp& option : command.options) {
    if (option.IsArgument()) arguments += OptionLine(option, width);
  }
  if (!arguments.empty()) help += "\nArguments:\n" + arguments;
  help += "\nOptions:\n";
  for (const OptionHelp& option : OptionsOf(command)) help += OptionLine(option, width);
  help += ChoiceLists(command, width);
  if (!command.footer.empty()) help += '\n' + Paragraphs(command.footer, width);
  return help + Examples(command.examples, width);
}

std::string HelpOnProgram(const ProgramHelp& program, size_t width) {
  width = std::min(width, kWidest);
  std::string help = Paragraphs(program.text, width);
  help += fmt::format("\nUsage: {} COMMAND [OPTIONS] ...\n       {} FILE\n\n", program.name,
                      program.name);
  help += CommandLines(program, width);
  help += "\nOptions:\n";
  for (const OptionHelp& option : OptionsOf(program)) help += OptionLine(option, width);
  return help + Examples(program.examples, width);
}

std::string Overview(const ProgramHelp& program, size_t width) {
  width = std::min(width, kWidest);
  const std::string first(program.text, 0, program.text.find('\n'));
  return Paragraph(first, width) + '\n' + CommandLines(program, width) + '\n' +
         program.overview_end;
}

}  // namespace warpsight
