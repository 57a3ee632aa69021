#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "analysis/reporting/format.h"
#include "analysis/reporting/renderer.h"
#include "analysis/reporting/utf8.h"

namespace warpsight {
namespace {

constexpr size_t kColumnGap = 2;
// Texts are not cut below this: a kernel's name needs about as much to be told from others.
constexpr size_t kNarrowestText = 24;

// A C++ name from its last namespace on, without its return type: of a long kernel name this is the
// part that tells it from others.
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

// An aligned table for a terminal. Columns that cannot fit are left out, and the table says so.
class TextRenderer : public Renderer {
 public:
  TextRenderer(const Report& report, const TextStyle& style, Output& output)
      : report_(report), style_(style), output_(output), widths_(report.columns.size()) {
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
    for (const std::string& note : notes_) output_.Write("\n" + note + "\n");
    if (!left_out_.empty()) {
      output_.Write(
          fmt::format("\nToo wide for {} columns: {} not shown (use --format csv for all)\n",
                      style_.width, fmt::join(left_out_, ", ")));
    }
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

  // Shortens the widest text columns until the table fits, then leaves out numbers from the right.
  void ChooseColumns() {
    shown_.resize(widths_.size());
    std::iota(shown_.begin(), shown_.end(), 0);
    while (!Fits() && (NarrowWidestText() || LeaveOutNumber())) {
    }
  }

  bool NarrowWidestText() {
    size_t* widest = nullptr;
    for (const size_t column : shown_) {
      const size_t least = std::max(kNarrowestText, DisplayWidth(report_.columns[column].name));
      if (IsNumeric(report_.columns[column]) || widths_[column] <= least) continue;
      if (widest == nullptr || widths_[column] > *widest) widest = &widths_[column];
    }
    if (widest == nullptr) return false;
    --*widest;
    return true;
  }

  bool LeaveOutNumber() {
    for (size_t i = shown_.size(); i-- > 1;) {
      if (!IsNumeric(report_.columns[shown_[i]])) continue;
      left_out_.insert(left_out_.begin(), report_.columns[shown_[i]].name);
      shown_.erase(shown_.begin() + static_cast<ptrdiff_t>(i));
      return true;
    }
    return false;
  }

  // A cell in its column's width; the last column of a line gets no blanks after it.
  std::string Padded(size_t column, std::string_view text, bool last) const {
    if (DisplayWidth(text) > widths_[column]) text = WithoutNamespaces(text);
    const std::string cut = Shorten(text, widths_[column]);
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
  std::vector<size_t> shown_;
  std::vector<std::string_view> left_out_;
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
