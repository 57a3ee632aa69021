#include <fmt/format.h>

#include <vector>

#include "analysis/reporting/renderer.h"
#include "analysis/reporting/utf8.h"

namespace warpsight {
namespace {

// Kernel names are full of characters that Markdown would take as HTML or emphasis.
std::string Escape(std::string_view text) {
  std::string result;
  for (const char c : Printable(text)) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '~':
      case '|':
        result += '\\';
        [[fallthrough]];
      default:
        result += c;
    }
  }
  return result;
}

// A table as GitHub renders it, below the report's title and above its notes.
class MarkdownRenderer : public Renderer {
 public:
  MarkdownRenderer(const Report& report, Output& output) : report_(report), output_(output) {}

  void Begin() override {
    std::string head = fmt::format("## {}\n\n|", Escape(report_.title));
    for (const ReportColumn& column : report_.columns) head += " " + Escape(column.name) + " |";
    head += "\n|";
    for (const ReportColumn& column : report_.columns) {
      head += IsNumeric(column) ? " ---: |" : " --- |";
    }
    output_.Write(head + "\n");
  }

  void Row(std::span<const Cell> cells) override {
    line_ = "|";
    for (size_t i = 0; i < cells.size(); ++i) {
      line_ += " " + Escape(FormatCell(report_.columns[i], cells[i], /*for_people=*/true)) + " |";
    }
    line_ += '\n';
    output_.Write(line_);
  }

  void Note(std::string_view text) override { notes_.push_back(Escape(text)); }

  void End() override {
    output_.Write("\n");
    for (const std::string& note : notes_) output_.Write(note + "\n\n");
  }

 private:
  const Report& report_;
  Output& output_;
  std::vector<std::string> notes_;
  std::string line_;
};

}  // namespace

std::unique_ptr<Renderer> MakeMarkdownRenderer(const Report& report, Output& output) {
  return std::make_unique<MarkdownRenderer>(report, output);
}

}  // namespace warpsight
