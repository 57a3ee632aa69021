#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/reporting/renderer.h"
#include "analysis/text/display_width.h"
#include "analysis/text/format.h"
#include "analysis/text/wrap_text.h"
#include "base/printable.h"

namespace warpsight {
namespace {

constexpr size_t kColumnGap = 2;
// Names are shortened to the first width before numbers are left out, and to the second before
// names are left out.
constexpr size_t kMinTextWidth = 24;
constexpr size_t kNarrowestText = 14;
// The number of numeric columns to keep: a count and totals.
constexpr size_t kMinNumberColumns = 3;

bool IsSpread(std::string_view name) {
  for (const std::string_view word : {"Avg", "Med", "Min", "Max", "StdDev"}) {
    if (name.find(word) != std::string_view::npos) return true;
  }
  return false;
}

// A C++ name from its last namespace on, without its return type: the distinguishing part of a long
// kernel name.
std::string_view WithoutNamespaces(std::string_view name) {
  constexpr std::string_view kVoid = "void ";
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  if (name.starts_with(kVoid)) name.remove_prefix(kVoid.size());
  while (true) {
    if (name.starts_with(kAnonymous)) {
      name.remove_prefix(kAnonymous.size());
      continue;
    }
    const size_t end =
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (end == 0 || end == std::string_view::npos || !name.substr(end).starts_with("::")) break;
    name.remove_prefix(end + 2);
  }
  return name;
}

// Shortens a text but keeps its distinguishing part: the end of a path, the function of a kernel
// name.
std::string FitText(std::string_view text, size_t width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  const bool is_path = text.find('/') != std::string_view::npos &&
                       text.find_first_of("(<[{") == std::string_view::npos;
  return is_path ? ShortenFront(text, width) : Shorten(WithoutNamespaces(text), width);
}

// An aligned table for a terminal. Columns that cannot fit are left out, and the table says so.
class TextRenderer : public Renderer {
 public:
  TextRenderer(const Report& report, const TextStyle& style, Output& output)
      : report_(report),
        style_(style),
        output_(output),
        widths_(report.columns.size()),
        filled_(report.columns.size()) {
    for (size_t i = 0; i < widths_.size(); ++i) widths_[i] = DisplayWidth(report.columns[i].name);
  }

  void Begin() override {}

  void Row(std::span<const Cell> cells) override {
    ++row_count_;
    if (style_.max_rows > 0 && row_count_ > static_cast<size_t>(style_.max_rows)) return;
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string text =
          IsMissing(cells[i]) ? "-" : Printable(FormatCell(report_.columns[i], cells[i], true));
      widths_[i] = std::max(widths_[i], DisplayWidth(text));
      if (!text.empty() && !IsMissing(cells[i])) filled_[i] = true;
      cells_.push_back(std::move(text));
    }
  }

  void Note(std::string_view text) override { notes_.push_back(Printable(text)); }

  void End() override {
    output_.Write(Styled("\x1b[1m", report_.title) + "\n\n");
    ChooseColumns();
    if (row_count_ > 0) {
      WriteTable();
    } else {
      output_.Write("Nothing to show.\n");
    }
    for (const std::string& note : notes_) WriteNote(note);
    WriteLeftOut();
  }

 private:
  std::string Styled(std::string_view code, std::string_view text) const {
    return style_.color ? fmt::format("{}{}\x1b[0m", code, text) : std::string(text);
  }

  bool Fits() const {
    size_t total = 0;
    for (const size_t column : shown_) total += widths_[column] + kColumnGap;
    return style_.width <= 0 || total <= static_cast<size_t>(style_.width) + kColumnGap;
  }

  // Makes the table fit: leaves out columns without values, shortens the widest texts, and leaves
  // out numbers except the first few. If that is not enough, shortens texts further and leaves out
  // more.
  void ChooseColumns() {
    shown_.resize(widths_.size());
    std::iota(shown_.begin(), shown_.end(), 0);
    const auto empty = [&](size_t column) { return !filled_[column]; };
    while (!Fits() && LeaveOutLast(empty)) {
    }
    while (!Fits() && (NarrowWidestText(kMinTextWidth) || LeaveOutNumber(kMinNumberColumns) ||
                       NarrowWidestText(kNarrowestText) || LeaveOutText() || LeaveOutNumber(1))) {
    }
  }

  bool NarrowWidestText(size_t least) {
    size_t* widest = nullptr;
    for (const size_t column : shown_) {
      if (IsNumeric(report_.columns[column])) continue;
      if (widths_[column] <= std::max(least, DisplayWidth(report_.columns[column].name))) continue;
      if (widest == nullptr || widths_[column] > *widest) widest = &widths_[column];
    }
    if (widest == nullptr) return false;
    --*widest;
    return true;
  }

  // Leaves out the last numeric column; averages and extremes go before totals and counts.
  bool LeaveOutNumber(size_t keep) {
    const auto numeric = [&](size_t column) { return IsNumeric(report_.columns[column]); };
    if (static_cast<size_t>(std::count_if(shown_.begin(), shown_.end(), numeric)) <= keep) {
      return false;
    }
    const auto detail = [&](size_t column) {
      return numeric(column) && IsSpread(report_.columns[column].name);
    };
    return LeaveOutLast(detail) || LeaveOutLast(numeric);
  }

  // Leaves out a text column, except the first and the last, which identify the row.
  bool LeaveOutText() {
    const auto text = [&](size_t column) { return !IsNumeric(report_.columns[column]); };
    const auto first = std::find_if(shown_.begin(), shown_.end(), text);
    const auto last = std::find_if(shown_.rbegin(), shown_.rend(), text);
    if (first == shown_.end()) return false;
    return LeaveOutLast([&, first = *first, last = *last](size_t column) {
      return text(column) && column != first && column != last;
    });
  }

  template <typename Condition>
  bool LeaveOutLast(Condition condition) {
    const auto it = std::find_if(shown_.rbegin(), shown_.rend(), condition);
    if (it == shown_.rend()) return false;
    left_out_.push_back(*it);
    shown_.erase(std::next(it).base());
    return true;
  }

  // A cell in its column's width; the last column of a line gets no blanks after it.
  std::string Padded(size_t column, std::string_view text, bool last) const {
    const std::string cut = FitText(text, widths_[column]);
    const std::string blanks(widths_[column] - DisplayWidth(cut), ' ');
    if (IsNumeric(report_.columns[column])) return blanks + cut;
    return last ? cut : cut + blanks;
  }

  template <typename TextOf>
  std::string Line(TextOf text_of) const {
    std::string line;
    for (size_t i = 0; i < shown_.size(); ++i) {
      if (i > 0) line.append(kColumnGap, ' ');
      line += Padded(shown_[i], text_of(shown_[i]), i + 1 == shown_.size());
    }
    return line;
  }

  void WriteNote(std::string_view text) {
    output_.Write("\n");
    const size_t width = style_.width > 0 ? static_cast<size_t>(style_.width) : text.size();
    for (const std::string& line : WrapText(text, width)) output_.Write(line + "\n");
  }

  void WriteLeftOut() {
    if (left_out_.empty()) return;
    std::sort(left_out_.begin(), left_out_.end());
    std::vector<std::string_view> names;
    for (const size_t column : left_out_) names.push_back(report_.columns[column].name);
    WriteNote(fmt::format("Too wide for {} columns: {} not shown (use --format csv for all)",
                          style_.width, fmt::join(names, ", ")));
  }

  void WriteTable() {
    const std::string header = Line([&](size_t column) { return report_.columns[column].name; });
    const std::string rule = Line([&](size_t column) { return std::string(widths_[column], '-'); });
    output_.Write(Styled("\x1b[1m", header) + "\n" + Styled("\x1b[2m", rule) + "\n");
    const size_t columns = widths_.size();
    for (size_t first = 0; first + columns <= cells_.size(); first += columns) {
      const auto text_of = [&](size_t column) -> std::string_view {
        return cells_[first + column];
      };
      output_.Write(Line(text_of) + "\n");
    }
    const size_t written = cells_.size() / columns;
    if (written < row_count_) {
      output_.Write(fmt::format("… and {} more rows (use --format csv for all)\n",
                                FormatCount(static_cast<int64_t>(row_count_ - written))));
    }
  }

  const Report& report_;
  const TextStyle style_;
  Output& output_;
  std::vector<size_t> widths_;
  std::vector<bool> filled_;  // by column: whether any row has a value
  std::vector<size_t> shown_;
  std::vector<size_t> left_out_;
  std::vector<std::string> cells_;
  std::vector<std::string> notes_;
  size_t row_count_ = 0;
};

}  // namespace

std::unique_ptr<Renderer> MakeTextRenderer(const Report& report, const TextStyle& style,
                                           Output& output) {
  return std::make_unique<TextRenderer>(report, style, output);
}

}  // namespace warpsight
