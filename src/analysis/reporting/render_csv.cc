#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "analysis/reporting/renderer.h"
#include "analysis/text/csv_text.h"

namespace warpsight {
namespace {

// RFC 4180, with Unix line ends. CSV has no place for notes.
class CsvRenderer : public Renderer {
 public:
  CsvRenderer(const Report& report, Output& output, char separator)
      : report_(report), output_(output), separator_(separator) {}

  void Begin() override {
    for (const ReportColumn& column : report_.columns) AppendField(column.name);
    EndLine();
  }

  void Row(std::span<const Cell> cells) override {
    for (size_t i = 0; i < cells.size(); ++i) {
      AppendField(FormatCell(report_.columns[i], cells[i], /*for_people=*/false));
    }
    EndLine();
  }

  void Note(std::string_view) override {}
  void End() override {}

 private:
  void AppendField(std::string_view text) {
    if (started_) line_ += separator_;
    started_ = true;
    AppendCsvField(text, line_, separator_);
  }

  void EndLine() {
    line_ += '\n';
    output_.Write(line_);
    line_.clear();
    started_ = false;
  }

  const Report& report_;
  Output& output_;
  const char separator_;
  std::string line_;
  bool started_ = false;
};

}  // namespace

std::unique_ptr<Renderer> MakeCsvRenderer(const Report& report, Output& output, char separator) {
  return std::make_unique<CsvRenderer>(report, output, separator);
}

}  // namespace warpsight
