#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "analysis/reporting/renderer.h"
#include "base/json_text.h"

namespace warpsight {
namespace {

// One object: report, title, columns, rows (objects by column name), notes. Reals have all their
// digits.
class JsonRenderer : public Renderer {
 public:
  JsonRenderer(const Report& report, Output& output) : report_(report), output_(output) {
    for (const ReportColumn& column : report.columns) {
      keys_.push_back(JsonString(column.name) + ": ");
    }
  }

  void Begin() override {
    std::string head = fmt::format("{{\n\"report\": {},\n\"title\": {},\n\"columns\": [",
                                   JsonString(report_.id), JsonString(report_.title));
    std::string_view separator = "\n";
    for (const ReportColumn& column : report_.columns) {
      head += fmt::format("{}{{\"name\": {}, \"type\": {}", separator, JsonString(column.name),
                          JsonString(TypeName(column.type)));
      const std::string_view unit = UnitOf(column);
      if (!unit.empty()) head += fmt::format(", \"unit\": {}", JsonString(unit));
      head += fmt::format(", \"doc\": {}}}", JsonString(column.doc));
      separator = ",\n";
    }
    head += "\n],\n\"rows\": [";
    output_.Write(head);
  }

  void Row(std::span<const Cell> cells) override {
    line_ = first_row_ ? "\n{" : ",\n{";
    first_row_ = false;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line_ += ", ";
      line_ += keys_[i];
      AppendValue(report_.columns[i], cells[i]);
    }
    line_ += '}';
    output_.Write(line_);
  }

  void Note(std::string_view text) override { notes_.push_back(JsonString(text)); }

  void End() override {
    output_.Write(fmt::format("\n],\n\"notes\": [{}]\n}}\n", fmt::join(notes_, ", ")));
  }

 private:
  void AppendValue(const ReportColumn& column, const Cell& cell) {
    if (IsMissing(cell)) {
      line_ += "null";
    } else if (const auto* text = std::get_if<std::string_view>(&cell)) {
      AppendJsonString(*text, line_);
    } else if (const auto* real = std::get_if<double>(&cell)) {
      line_ += fmt::format("{}", *real);
    } else if (column.type == ColumnType::kYesNo) {
      line_ += std::get<int64_t>(cell) != 0 ? "true" : "false";
    } else {
      line_ += fmt::format("{}", std::get<int64_t>(cell));
    }
  }

  const Report& report_;
  Output& output_;
  std::vector<std::string> keys_;
  std::vector<std::string> notes_;
  std::string line_;
  bool first_row_ = true;
};

}  // namespace

std::string_view TypeName(ColumnType type) {
  switch (type) {
    case ColumnType::kText:
      return "text";
    case ColumnType::kInteger:
      return "integer";
    case ColumnType::kReal:
      return "real";
    case ColumnType::kDurationNs:
      return "duration";
    case ColumnType::kBytes:
      return "bytes";
    case ColumnType::kPercent:
      return "percent";
    case ColumnType::kYesNo:
      return "boolean";
  }
  return "text";
}

std::unique_ptr<Renderer> MakeJsonRenderer(const Report& report, Output& output) {
  return std::make_unique<JsonRenderer>(report, output);
}

}  // namespace warpsight
