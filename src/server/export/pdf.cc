#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/reporting/renderer.h"
#include "analysis/text/format.h"
#include "base/printable.h"
#include "server/export/formats.h"
#include "server/export/pdf_document.h"

namespace warpsight::server {
namespace {

// This gives several hundred pages; longer tables are for programs.
constexpr size_t kMostRows = 20'000;

constexpr double kMargin = 36;
constexpr double kUsable = PdfDocument::kWidth - 2 * kMargin;
constexpr double kSize = 7;
constexpr double kNameSize = 13;
constexpr double kTitleSize = 9;
constexpr double kRowHeight = 11;
constexpr double kHeaderLine = 9;
constexpr double kBaseLine = 7.8;  // of a text, from the top of its row
constexpr double kGap = 8;         // between columns
constexpr double kTableTop = kMargin + 34;
constexpr double kTableBottom = PdfDocument::kHeight - kMargin - 8;
// The largest width of a text column while others need space, and its smallest width.
constexpr double kWidestText = 200;
constexpr double kNarrowestText = 70;
constexpr size_t kMaxHeaderLines = 4;

constexpr PdfDocument::Color kBlack{0.1, 0.1, 0.1};
constexpr PdfDocument::Color kGrey{0.42, 0.44, 0.46};
constexpr PdfDocument::Color kHeaderFill{0.87, 0.91, 0.89};
constexpr PdfDocument::Color kZebra{0.957, 0.965, 0.961};

struct PdfColumn {
  size_t index = 0;
  bool is_text = false;
  bool is_duration = false;  // integer nanoseconds, printed with a suitable unit
  std::vector<std::string> header;
  double natural = 0;  // the width of its longest value
  double width = 0;
};

// Columns that are printed side by side.
using Band = std::vector<PdfColumn>;

// Breaks a text between words into lines of at most `width`.
std::vector<std::string> Wrap(PdfDocument& document, std::string_view text, double size,
                              double width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!lines.empty()) {
      const std::string longer = fmt::format("{} {}", lines.back(), word);
      if (document.WidthOf(longer, size) <= width) {
        lines.back() = longer;
        continue;
      }
    }
    lines.push_back(document.Fit(word, size, width));
  }
  return lines;
}

class TablePdf {
 public:
  TablePdf(const Table& table, std::span<const uint32_t> rows, const ExportHeading& heading)
      : table_(table), rows_(rows), heading_(heading) {}

  Result<std::string> Make() {
    if (rows_.size() > kMostRows) {
      return Error{
          fmt::format("{} rows would make a PDF of thousands of pages; filter the table to "
                      "{} rows or fewer, or export it as CSV or XLSX",
                      FormatCount(static_cast<int64_t>(rows_.size())),
                      FormatCount(static_cast<int64_t>(kMostRows))),
          "too-many-rows"};
    }
    if (const Status status = document_.Begin(); !status.ok()) return status.error();
    MakeBands();
    for (const Band& band : bands_) PrintBand(band);
    PrintNotes();
    NumberPages();
    return document_.Finish();
  }

 private:
  std::string TextOf(const PdfColumn& column, uint32_t row) const {
    const Cell cell = table_.At(row, column.index);
    if (const auto* ns = std::get_if<int64_t>(&cell); ns != nullptr && column.is_duration) {
      return IsMissing(cell) ? "" : FormatDuration(static_cast<double>(*ns));
    }
    if (const auto* ns = std::get_if<double>(&cell); ns != nullptr && column.is_duration) {
      return IsMissing(cell) ? "" : FormatDuration(*ns);
    }
    return Printable(FormatCell(ColumnOf(table_.columns()[column.index]), cell, true));
  }

  PdfColumn Describe(size_t index) {
    constexpr std::string_view kNanoseconds = " (ns)";
    const Table::Column& column = table_.columns()[index];
    PdfColumn result;
    result.index = index;
    result.is_text = !IsNumeric(ColumnOf(column));
    std::string name = Printable(column.name);
    if (column.type == ColumnType::kDurationNs && name.ends_with(kNanoseconds)) {
      result.is_duration = true;
      name.resize(name.size() - kNanoseconds.size());
    }
    for (const uint32_t row : rows_) {
      result.natural = std::max(result.natural, document_.WidthOf(TextOf(result, row), kSize));
    }
    // Headers are broken into lines instead of widening a column of numbers.
    result.natural = std::max(result.natural, std::min(LongestWord(name), kWidestText));
    result.width = result.is_text ? std::min(result.natural, kWidestText) : result.natural;
    result.header = {name};
    return result;
  }

  double LongestWord(std::string_view text) {
    double longest = 0;
    while (!text.empty()) {
      const size_t end = std::min(text.find(' '), text.size());
      longest = std::max(longest, document_.WidthOf(text.substr(0, end), kSize));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return longest;
  }

  // Puts columns side by side as long as there is room. Further bands begin with the first text
  // column, so that rows can be identified.
  void MakeBands() {
    std::vector<PdfColumn> columns;
    for (size_t i = 0; i < table_.columns().size(); ++i) columns.push_back(Describe(i));
    const auto key = std::find_if(columns.begin(), columns.end(),
                                  [](const PdfColumn& column) { return column.is_text; });
    double used = kUsable + 1;
    for (PdfColumn& column : columns) {
      double width = std::min(column.width, kUsable);
      if (used + width > kUsable && column.is_text && used + kNarrowestText <= kUsable) {
        width = kUsable - used;  // a text can be shortened
      }
      if (used + width > kUsable) {
        bands_.emplace_back();
        used = 0;
        if (bands_.size() > 1 && key != columns.end()) {
          bands_.back().push_back(*key);
          bands_.back().back().width = std::min(key->width, kWidestText * 0.7);
          used += bands_.back().back().width + kGap;
        }
      }
      column.width = std::min(width, kUsable - used);
      bands_.back().push_back(column);
      used += column.width + kGap;
    }
    for (Band& band : bands_) {
      UseRest(band);
      for (PdfColumn& column : band) {
        column.header = Wrap(document_, column.header[0], kSize, column.width);
        column.header.resize(std::min(column.header.size(), kMaxHeaderLines));
      }
    }
    if (bands_.empty()) bands_.emplace_back();
  }

  // Gives the remaining space to shortened text columns.
  static void UseRest(Band& band) {
    double rest = kUsable;
    for (const PdfColumn& column : band) rest -= column.width + kGap;
    for (PdfColumn& column : band) {
      const double more = std::clamp(column.natural - column.width, 0.0, std::max(0.0, rest));
      column.width += more;
      rest -= more;
    }
  }

  void NewPage(const Band& band) {
    document_.AddPage();
    page_ = document_.pages() - 1;
    document_.Text(page_, kMargin, kMargin + 8, kNameSize, kBlack,
                   document_.Fit(Printable(heading_.profile_name), kNameSize, kUsable));
    std::string title = heading_.title;
    if (!heading_.range.empty()) title += " · " + heading_.range;
    if (bands_.size() > 1 && !band.empty()) {
      const size_t first = band[&band == bands_.data() || band.size() == 1 ? 0 : 1].index;
      title += fmt::format(" · columns {} to {} of {}", first + 1, band.back().index + 1,
                           table_.columns().size());
    }
    document_.Text(page_, kMargin, kMargin + 22, kTitleSize, kGrey,
                   document_.Fit(Printable(title), kTitleSize, kUsable));
    y_ = kTableTop;
  }

  void PrintHeader(const Band& band) {
    size_t lines = 1;
    for (const PdfColumn& column : band) lines = std::max(lines, column.header.size());
    const double height = static_cast<double>(lines) * kHeaderLine + 4;
    document_.Fill(page_, kMargin, y_, kUsable, height, kHeaderFill);
    double x = kMargin;
    for (const PdfColumn& column : band) {
      for (size_t i = 0; i < column.header.size(); ++i) {
        // Short headers use the last lines, directly above their values.
        const size_t line = lines - column.header.size() + i;
        Put(column, x, y_ + static_cast<double>(line) * kHeaderLine + kBaseLine, column.header[i],
            kBlack);
      }
      x += column.width + kGap;
    }
    y_ += height;
  }

  void Put(const PdfColumn& column, double x, double y, const std::string& text,
           PdfDocument::Color color) {
    if (text.empty()) return;
    const std::string shown = document_.Fit(text, kSize, column.width + 0.5);
    const double shift = column.is_text ? 0 : column.width - document_.WidthOf(shown, kSize);
    document_.Text(page_, x + shift, y, kSize, color, shown);
  }

  void PrintBand(const Band& band) {
    NewPage(band);
    PrintHeader(band);
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (y_ + kRowHeight > kTableBottom) {
        NewPage(band);
        PrintHeader(band);
      }
      if (i % 2 == 1) document_.Fill(page_, kMargin, y_, kUsable, kRowHeight, kZebra);
      double x = kMargin;
      for (const PdfColumn& column : band) {
        Put(column, x, y_ + kBaseLine, TextOf(column, rows_[i]), kBlack);
        x += column.width + kGap;
      }
      y_ += kRowHeight;
    }
    if (rows_.empty()) {
      document_.Text(page_, kMargin, y_ + kBaseLine, kSize, kGrey, "No rows.");
      y_ += kRowHeight;
    }
  }

  void PrintNotes() {
    y_ += kRowHeight;
    for (const std::string& note : table_.notes()) {
      for (const std::string& line : Wrap(document_, Printable(note), kSize, kUsable)) {
        if (y_ + kRowHeight > kTableBottom) NewPage({});
        document_.Text(page_, kMargin, y_ + kBaseLine, kSize, kGrey, line);
        y_ += kRowHeight;
      }
    }
  }

  void NumberPages() {
    for (size_t page = 0; page < document_.pages(); ++page) {
      const std::string text = fmt::format("{} / {}", page + 1, document_.pages());
      document_.Text(page, kMargin + kUsable - document_.WidthOf(text, kSize),
                     PdfDocument::kHeight - kMargin + 8, kSize, kGrey, text);
    }
  }

  const Table& table_;
  std::span<const uint32_t> rows_;
  const ExportHeading& heading_;
  PdfDocument document_;
  std::vector<Band> bands_;
  size_t page_ = 0;
  double y_ = 0;
};

}  // namespace

Result<std::string> ExportPdf(const Table& table, std::span<const uint32_t> rows,
                              const ExportHeading& heading) {
  return TablePdf(table, rows, heading).Make();
}

}  // namespace warpsight::server
