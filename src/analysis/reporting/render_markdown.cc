#include <fmt/format.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/reporting/renderer.h"
#include "analysis/text/markdown_text.h"

namespace warpsight {
namespace {

// A table in GitHub's Markdown, below the report's title and above its notes.
class MarkdownRenderer : public Renderer {
 public:
  MarkdownRenderer(const Report& report, Output& output) : report_(report), output_(output) {}

  void Begin() override {
    std::string head = fmt::format("## {}\n\n|", EscapeMarkdown(report_.title));
    for (const ReportColumn& column : report_.columns)
      head += " " + EscapeMarkdown(column.name) + " |";
    head += "\n|";
    for (const ReportColumn& column : report_.columns) {
      head += IsNumeric(column) ? " ---: |" : " --- |";
    }
    output_.Write(head + "\n");
  }

  void Row(std::span<const Cell> cells) override {
    line_ = "|";
    for (size_t i = 0; i < cells.size(); ++i) {
      line_ += " " + EscapeMarkdown(FormatCell(report_.columns[i], cells[i], /*for_people=*/true)) +
               " |";
    }
    line_ += '\n';
    output_.Write(line_);
  }

  void Note(std::string_view text) override { notes_.push_back(EscapeMarkdown(text)); }

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
