#include "cli/help/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/utf8.h"

namespace warpsight {
namespace {

// The text as roff prints it unchanged. Hyphens become minus signs, as options are copied.
std::string Escaped(std::string_view text) {
  std::string escaped;
  if (text.starts_with('.')) escaped += "\\&";
  while (!text.empty()) {
    const char32_t c = TakeCharacter(text);
    switch (c) {
      case '\\':
        escaped += "\\e";
        break;
      case '-':
        escaped += "\\-";
        break;
      case '\'':
        escaped += "\\(aq";
        break;
      case '`':
        escaped += "\\(ga";
        break;
      case '^':
        escaped += "\\(ha";
        break;
      case '~':
        escaped += "\\(ti";
        break;
      case '"':
        escaped += "\\(dq";
        break;
      default:
        if (c < 0x80) {
          escaped += static_cast<char>(c);
        } else {
          escaped += fmt::format("\\[u{:04X}]", static_cast<uint32_t>(c));
        }
    }
  }
  return escaped;
}

std::string Bold(std::string_view text) { return "\\fB" + Escaped(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Escaped(text) + "\\fR"; }

// A sentence or more; what stands between backticks is bold.
std::string Prose(std::string_view text) {
  std::string prose;
  for (bool code = false; !text.empty(); code = !code) {
    const size_t end = std::min(text.find('`'), text.size());
    const std::string_view part = text.substr(0, end);
    if (!part.empty()) prose += code ? Bold(part) : Escaped(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return prose + '\n';
}

// A line to type, which is not filled.
std::string AsTyped(std::string_view line) {
  return ".PP\n.in +4n\n.EX\n" + Escaped(line) + "\n.EE\n.in\n";
}

// Each line is a paragraph, except those that begin with a blank, which are to be typed.
std::string Paragraphs(std::string_view text) {
  std::string paragraphs;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.starts_with(' ')) {
      paragraphs += AsTyped(line.substr(std::min(line.find_first_not_of(' '), line.size())));
    } else if (!line.empty()) {
      paragraphs += ".PP\n" + Prose(line);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return paragraphs;
}

std::string Section(std::string_view title, const std::string& content) {
  return content.empty() ? "" : fmt::format(".SH {}\n{}", title, content);
}

std::string Item(const std::string& head, const std::string& text) {
  return ".TP\n" + head + '\n' + text;
}

std::string Items(const std::vector<Term>& terms) {
  std::string items;
  for (const Term& term : terms) items += Item(Bold(term.name), Prose(term.text));
  return items;
}

std::string OptionItem(const OptionHelp& option) {
  std::string head;
  for (const std::string& name : NamesOf(option)) {
    head += head.empty() ? "" : ", ";
    head += option.IsArgument() ? Italic(name) : Bold(name);
  }
  if (!option.IsArgument() && !option.type.empty()) head += ' ' + Italic(option.type);
  std::string text = option.text;
  if (!option.default_value.empty()) text += fmt::format(" (default: {})", option.default_value);
  std::string item = Item(head, Prose(text));
  if (option.HasDescribedChoices()) item += ".RS\n" + Items(option.choices) + ".RE\n";
  return item;
}

std::string Examples(const std::vector<Term>& examples) {
  std::string text;
  for (const Term& example : examples) {
    text += ".PP\n" + Prose(example.text + ':') + AsTyped(example.name);
  }
  return text;
}

// "Print reports" -> "print reports", but "SQL" stays.
std::string InSentence(std::string text) {
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

std::string Head(const ProgramHelp& program, const std::string& page, const std::string& what) {
  std::string title = page;
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(
      ".\\\" Written by {0} from the descriptions of its commands.\n"
      ".TH \"{1}\" 1 \"\" \"{2}\" \"User Commands\"\n"
      // Words are not broken, and lines not stretched: names and options stay whole.
      ".nh\n.ad l\n"
      ".SH NAME\n{3} \\- {4}",
      program.name, Escaped(title), Escaped(program.version), Escaped(page),
      Prose(InSentence(what)));
}

// Adds the terms whose names are missing.
void AddNew(const std::vector<Term>& terms, std::vector<Term>& all) {
  for (const Term& term : terms) {
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&](const Term& other) { return other.name == term.name; });
    if (!known) all.push_back(term);
  }
}

// The name of a page is not broken.
std::string Reference(const std::string& page) { return "\\%" + Bold(page) + "(1)"; }

// What every page ends with.
std::string Ends(const ProgramHelp& program, const CommandHelp& own,
                 const std::vector<std::string>& see_also) {
  std::string references;
  for (const std::string& page : see_also) {
    references += (references.empty() ? "" : ",\n") + Reference(page);
  }
  return Section("EXIT STATUS",
                 Items(own.exit_codes.empty() ? program.exit_codes : own.exit_codes)) +
         Section("ENVIRONMENT", Items(own.variables)) + Section("FILES", Items(own.files)) +
         Section("EXAMPLES", Examples(own.examples)) + Section("SEE ALSO", references + '\n');
}

std::string PageOf(const ProgramHelp& program, const CommandHelp& command) {
  return program.name + '-' + command.name;
}

std::string Synopsis(const ProgramHelp& program, const CommandHelp& command) {
  return Bold(program.name + ' ' + command.name) + ' ' + Escaped(ArgumentsOf(command)) + '\n';
}

}  // namespace

std::string ManPage(const ProgramHelp& program) {
  const size_t end = std::min(program.text.find('\n'), program.text.size());
  std::string what = program.text.substr(0, end);
  if (what.ends_with('.')) what.pop_back();
  // "Warpsight shows where ..." -> "shows where ...".
  what = what.substr(std::min(what.find(' '), what.size() - 1) + 1);
  std::string page = Head(program, program.name, what);
  page +=
      Section("SYNOPSIS", Bold(program.name) + ' ' + Italic("COMMAND") + " [" + Italic("OPTIONS") +
                              "] ...\n.br\n" + Bold(program.name) + ' ' + Italic("FILE") + '\n');
  page += Section("DESCRIPTION", Paragraphs(program.text));
  std::string commands;
  CommandHelp own;
  own.examples = program.examples;
  own.variables = program.variables;
  own.files = program.files;
  std::vector<std::string> see_also;
  for (const CommandHelp* command : program.commands) {
    commands += Item(Reference(PageOf(program, *command)), Prose(command->text + '.'));
    see_also.push_back(PageOf(program, *command));
    AddNew(command->variables, own.variables);
    AddNew(command->files, own.files);
  }
  page += Section("COMMANDS", commands);
  std::string options;
  for (const OptionHelp& option : OptionsOf(program)) options += OptionItem(option);
  page += Section("OPTIONS", options);
  return page + Ends(program, own, see_also);
}

std::string ManPage(const ProgramHelp& program, const CommandHelp& command) {
  std::string page = Head(program, PageOf(program, command), command.text);
  page += Section("SYNOPSIS", Synopsis(program, command));
  page += Section("DESCRIPTION", Paragraphs(command.text + ".\n" + command.footer));
  std::string arguments;
  for (const OptionHelp& option : command.options) {
    if (option.IsArgument()) arguments += OptionItem(option);
  }
  page += Section("ARGUMENTS", arguments);
  std::string options;
  for (const OptionHelp& option : OptionsOf(command)) options += OptionItem(option);
  page += Section("OPTIONS", options);
  std::vector<std::string> see_also = {program.name};
  for (const CommandHelp* other : program.commands) {
    if (other != &command) see_also.push_back(PageOf(program, *other));
  }
  CommandHelp with_shared = command;
  AddNew(program.variables, with_shared.variables);
  AddNew(program.files, with_shared.files);
  return page + Ends(program, with_shared, see_also);
}

}  // namespace warpsight
