#include <fmt/format.h>
#include <xlsxwriter.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "analysis/reporting/renderer.h"
#include "analysis/text/display_width.h"
#include "analysis/text/format.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "server/export/formats.h"
#include "server/export/memory_file.h"

namespace warpsight::server {
namespace {

// Limits of Excel: rows and columns of a sheet, characters of a cell (in UTF-16), and characters of
// a sheet's name.
constexpr size_t kMostRows = 1'048'576;
constexpr size_t kMaxColumns = 16'384;
constexpr size_t kLongestText = 32'767;
constexpr size_t kLongestSheetName = 31;
// A double represents integers exactly up to this one; larger ones are written as text.
constexpr int64_t kLargestExact = int64_t{1} << 53;

constexpr lxw_row_t kHeaderRow = 3;  // after the profile's name, the title and an empty row
constexpr size_t kRowsForWidths = 200;
constexpr double kNarrowest = 8;
constexpr double kWidest = 60;
constexpr double kWidestHeader = 24;

constexpr std::string_view kCutMark = " … (truncated: cell size limit)";

// A text on one line without characters that XML forbids, shortened to the size limit of a cell.
std::string CellText(std::string_view text) {
  std::string clean = Printable(text);
  if (clean.size() <= kLongestText) return clean;
  const size_t room = kLongestText - kCutMark.size();
  size_t units = 0;
  std::string_view rest = clean;
  size_t kept = 0;
  while (!rest.empty()) {
    units += TakeCharacter(rest) > 0xFFFF ? 2 : 1;
    if (units <= room) kept = clean.size() - rest.size();
    if (units > kLongestText) {
      clean.resize(kept);
      return clean.append(kCutMark);
    }
  }
  return clean;
}

// The text without characters that Excel forbids in names of sheets.
std::string SheetName(std::string_view title) {
  std::string name = Printable(title);
  for (char& c : name) {
    if (std::string_view("[]:*?/\\'").find(c) != std::string_view::npos) c = ' ';
  }
  name = Shorten(name, kLongestSheetName);
  while (!name.empty() && name.back() == ' ') name.pop_back();
  while (!name.empty() && name.front() == ' ') name.erase(0, 1);
  return name.empty() || name == "Columns" || name == "History" ? "Table" : name;
}

class Workbook {
 public:
  Workbook(const Table& table, std::span<const uint32_t> rows, const ExportHeading& heading)
      : table_(table), rows_(rows), heading_(heading) {}

  Result<std::string> Make() {
    if (rows_.size() > kMostRows - kHeaderRow - 1) {
      return Error{
          fmt::format("{} rows do not fit on an Excel sheet; filter the table, or export it as CSV",
                      FormatCount(static_cast<int64_t>(rows_.size()))),
          "too-many-rows"};
    }
    if (table_.columns().size() > kMaxColumns) {
      return Error{"the table has more columns than fit on an Excel sheet; export it as CSV",
                   "too-many-columns"};
    }
    MemoryFile file;
    if (const Status status = file.Open(); !status.ok()) return status.error();
    // Rows are written to a temporary file one by one: in memory they would take 100 bytes per
    // cell.
    lxw_workbook_options options{};
    options.constant_memory = LXW_TRUE;
    book_ = workbook_new_opt(file.path().c_str(), &options);
    if (book_ == nullptr) return Error{"the workbook could not be created"};
    AddFormats();
    WriteTable();
    WriteColumns();
    const lxw_error error = workbook_close(book_);
    if (error != LXW_NO_ERROR) {
      return Error{fmt::format("the workbook could not be written: {}", lxw_strerror(error))};
    }
    return file.Read();
  }

 private:
  void AddFormats() {
    name_ = workbook_add_format(book_);
    format_set_bold(name_);
    format_set_font_size(name_, 14);
    bold_ = workbook_add_format(book_);
    format_set_bold(bold_);
    header_ = workbook_add_format(book_);
    format_set_bold(header_);
    format_set_text_wrap(header_);
    format_set_align(header_, LXW_ALIGN_VERTICAL_TOP);
    format_set_bg_color(header_, 0xE8EDEA);
    format_set_bottom(header_, LXW_BORDER_THIN);
    wrapped_ = workbook_add_format(book_);
    format_set_text_wrap(wrapped_);
    format_set_align(wrapped_, LXW_ALIGN_VERTICAL_TOP);
    whole_ = workbook_add_format(book_);
    format_set_num_format(whole_, "#,##0");
    one_decimal_ = workbook_add_format(book_);
    format_set_num_format(one_decimal_, "#,##0.0");
    plain_ = workbook_add_format(book_);
    format_set_num_format(plain_, "0");
  }

  void Text(lxw_worksheet* sheet, lxw_row_t row, size_t column, std::string_view text,
            lxw_format* format = nullptr) {
    const std::string clean = CellText(text);
    if (clean.empty()) return;
    worksheet_write_string(sheet, row, static_cast<lxw_col_t>(column), clean.c_str(), format);
  }

  lxw_format* FormatOf(const Table::Column& column, bool whole) const {
    switch (column.type) {
      case ColumnType::kText:
        return whole ? plain_ : nullptr;  // an id
      case ColumnType::kPercent:
        return one_decimal_;
      case ColumnType::kReal:
        return whole ? whole_ : nullptr;  // with all of its decimals
      default:
        return whole ? whole_ : one_decimal_;
    }
  }

  void Write(lxw_worksheet* sheet, lxw_row_t row, size_t c, const Cell& cell) {
    const Table::Column& column = table_.columns()[c];
    const auto at = static_cast<lxw_col_t>(c);
    if (IsMissing(cell)) return;
    if (const auto* text = std::get_if<std::string_view>(&cell)) {
      Text(sheet, row, c, *text);
    } else if (const auto* real = std::get_if<double>(&cell)) {
      worksheet_write_number(sheet, row, at, *real, FormatOf(column, false));
    } else if (const int64_t whole = std::get<int64_t>(cell); column.type == ColumnType::kYesNo) {
      Text(sheet, row, c, whole != 0 ? "yes" : "no");
    } else if (whole > kLargestExact || whole < -kLargestExact) {
      Text(sheet, row, c, fmt::format("{}", whole));
    } else {
      worksheet_write_number(sheet, row, at, static_cast<double>(whole), FormatOf(column, true));
    }
  }

  // Wide enough for the first rows, and for a header with several lines.
  double WidthOf(size_t c) const {
    const ReportColumn column = ColumnOf(table_.columns()[c]);
    double width =
        std::clamp(static_cast<double>(DisplayWidth(column.name)) + 3, kNarrowest, kWidestHeader);
    for (size_t i = 0; i < std::min(rows_.size(), kRowsForWidths); ++i) {
      const std::string text = FormatCell(column, table_.At(rows_[i], c), /*for_people=*/true);
      width = std::max(width, static_cast<double>(DisplayWidth(text)) + 1.5);
    }
    return std::min(width, kWidest);
  }

  void WriteTable() {
    lxw_worksheet* sheet = workbook_add_worksheet(book_, SheetName(heading_.title).c_str());
    const size_t columns = table_.columns().size();
    for (size_t c = 0; c < columns; ++c) {
      const auto at = static_cast<lxw_col_t>(c);
      worksheet_set_column(sheet, at, at, WidthOf(c), nullptr);
    }
    Text(sheet, 0, 0, heading_.profile_name, name_);
    Text(sheet, 1, 0,
         heading_.range.empty() ? heading_.title
                                : fmt::format("{} · {}", heading_.title, heading_.range),
         bold_);
    for (size_t c = 0; c < columns; ++c) {
      Text(sheet, kHeaderRow, c, table_.columns()[c].name, header_);
    }
    for (size_t i = 0; i < rows_.size(); ++i) {
      for (size_t c = 0; c < columns; ++c) {
        Write(sheet, kHeaderRow + 1 + static_cast<lxw_row_t>(i), c, table_.At(rows_[i], c));
      }
    }
    worksheet_freeze_panes(sheet, kHeaderRow + 1, 0);
    if (columns > 0) {
      worksheet_autofilter(sheet, kHeaderRow, 0, kHeaderRow + static_cast<lxw_row_t>(rows_.size()),
                           static_cast<lxw_col_t>(columns - 1));
    }
    worksheet_repeat_rows(sheet, kHeaderRow, kHeaderRow);
    worksheet_set_landscape(sheet);
    worksheet_set_paper(sheet, 9);  // A4
  }

  // A second sheet: the meaning of the columns, and notes about the table.
  void WriteColumns() {
    lxw_worksheet* sheet = workbook_add_worksheet(book_, "Columns");
    worksheet_set_column(sheet, 0, 0, 30, nullptr);
    worksheet_set_column(sheet, 1, 1, 8, nullptr);
    worksheet_set_column(sheet, 2, 2, 100, nullptr);
    lxw_row_t row = 0;
    Text(sheet, row, 0, "Column", header_);
    Text(sheet, row, 1, "Unit", header_);
    Text(sheet, row, 2, "Meaning", header_);
    for (const Table::Column& column : table_.columns()) {
      ++row;
      Text(sheet, row, 0, column.name);
      Text(sheet, row, 1, column.unit);
      Text(sheet, row, 2, column.doc, wrapped_);
    }
    ++row;
    for (const std::string& note : table_.notes()) Text(sheet, ++row, 2, note, wrapped_);
    worksheet_freeze_panes(sheet, 1, 0);
  }

  const Table& table_;
  std::span<const uint32_t> rows_;
  const ExportHeading& heading_;
  lxw_workbook* book_ = nullptr;
  lxw_format* name_ = nullptr;
  lxw_format* bold_ = nullptr;
  lxw_format* header_ = nullptr;
  lxw_format* wrapped_ = nullptr;
  lxw_format* whole_ = nullptr;
  lxw_format* one_decimal_ = nullptr;
  lxw_format* plain_ = nullptr;
};

}  // namespace

Result<std::string> ExportXlsx(const Table& table, std::span<const uint32_t> rows,
                               const ExportHeading& heading) {
  return Workbook(table, rows, heading).Make();
}

}  // namespace warpsight::server
