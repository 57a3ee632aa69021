#include "analysis/reporting/render_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "analysis/reporting/renderer.h"
#include "analysis/text/display_width.h"
#include "analysis/text/format.h"
#include "analysis/text/screen_text.h"

namespace warpsight {
namespace {

constexpr std::string_view kNanoseconds = " (ns)";
constexpr size_t kColumnGap = 2;
// The minimum width of a distinguishable name, and the width of a second name beside it.
constexpr size_t kNarrowestName = 24;
// The width of most numbers and durations.
constexpr size_t kNumberWidth = 7;

// One column of the full report as it is printed.
struct Chosen {
  size_t from;
  ReportColumn column;
  bool is_duration;
  size_t text_width;  // texts are shortened to it; 0: not shortened
};

// Passes the chosen cells on.
class ColumnSink : public RowSink {
 public:
  // Rows after the first `printed` (0: no limit) are only counted, so they are passed on unchanged.
  ColumnSink(const std::vector<Chosen>& chosen, int printed, RowSink& to)
      : chosen_(chosen), printed_(printed), to_(to) {}

  void Row(std::span<const Cell> cells) override {
    const bool readable = printed_ == 0 || rows_ < printed_;
    ++rows_;
    std::vector<std::string> texts(chosen_.size());
    std::vector<Cell> out;
    for (size_t i = 0; i < chosen_.size(); ++i) {
      const Cell& cell = cells[chosen_[i].from];
      const auto* integer = std::get_if<int64_t>(&cell);
      const auto* text = std::get_if<std::string_view>(&cell);
      if (readable && integer != nullptr && chosen_[i].is_duration) {
        texts[i] = FormatDuration(static_cast<double>(*integer));
      } else if (readable && text != nullptr && chosen_[i].text_width > 0) {
        texts[i] = ShortenMiddle(*text, chosen_[i].text_width);
      } else {
        out.push_back(cell);
        continue;
      }
      out.emplace_back(std::string_view(texts[i]));
    }
    to_.Row(out);
  }

  void Note(std::string_view text) override { to_.Note(text); }

 private:
  const std::vector<Chosen>& chosen_;
  const int64_t printed_;
  RowSink& to_;
  int64_t rows_ = 0;
};

std::vector<Chosen> Choose(const Report& report, std::initializer_list<std::string_view> columns,
                           const TextStyle& style) {
  std::vector<Chosen> chosen;
  size_t others = 0;
  for (const std::string_view name : columns) {
    for (size_t i = 0; i < report.columns.size(); ++i) {
      ReportColumn column = report.columns[i];
      if (column.name != name) continue;
      const bool is_duration =
          column.type == ColumnType::kDurationNs && name.ends_with(kNanoseconds);
      if (is_duration) {
        column.name.remove_suffix(kNanoseconds.size());
        column.type = ColumnType::kReal;  // so that it is aligned right
      }
      const bool is_first = chosen.empty();
      const bool is_name = column.type == ColumnType::kText && (is_first || name == "Op ID");
      chosen.push_back({i, column, is_duration, is_name ? kNarrowestName : 0});
      if (is_first) continue;
      others +=
          kColumnGap + std::max(is_name ? kNarrowestName : kNumberWidth, DisplayWidth(column.name));
    }
  }
  const size_t width = style.width > 0 ? static_cast<size_t>(style.width) : 0;
  chosen.front().text_width =
      width == 0 ? 0 : std::max(kNarrowestName, width - std::min(width, others));
  return chosen;
}

}  // namespace

std::string RenderColumns(const Report& report, std::initializer_list<std::string_view> columns,
                          const ReportInput& input, const TextStyle& style) {
  const std::vector<Chosen> chosen = Choose(report, columns, style);
  Report brief = report;
  brief.columns.clear();
  for (const Chosen& column : chosen) brief.columns.push_back(column.column);
  StringOutput output;
  const auto renderer = MakeTextRenderer(brief, style, output);
  renderer->Begin();
  ColumnSink sink(chosen, style.max_rows, *renderer);
  report.compute(input, sink);
  renderer->Note(fmt::format("{} of {} columns; the others are in --format csv, json and md.",
                             chosen.size(), report.columns.size()));
  renderer->End();
  return output.text();
}

}  // namespace warpsight
