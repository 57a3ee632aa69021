#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/reporting/report.h"
#include "base/string_pool.h"

namespace warpsight {

// The stored rows of a report or of a query, for sorting, filtering and paging. Stored by column,
// with each distinct text once: nine bytes per cell. Immutable once filled, and then safe to read
// from many threads.
class Table : public RowSink {
 public:
  struct Column {
    std::string name;
    ColumnType type = ColumnType::kText;
    std::string unit;
    std::string doc;
  };

  explicit Table(std::vector<Column> columns);

  void Expect(size_t rows) override;
  void Row(std::span<const Cell> cells) override;
  void Link(const RowLink& link) override;
  void Note(std::string_view text) override { notes_.emplace_back(text); }

  const std::vector<Column>& columns() const { return columns_; }
  size_t rows() const { return rows_; }
  const std::vector<std::string>& notes() const { return notes_; }
  // Texts are valid as long as the table.
  Cell At(size_t row, size_t column) const;
  // Empty if the row has no link.
  RowLink LinkOf(size_t row) const { return row < links_.size() ? links_[row] : RowLink{}; }
  // The index of the column with that name; columns().size() if there is none.
  size_t ColumnOf(std::string_view name) const;

  // The kind of a cell. A column may contain several kinds, like the values of the summary.
  enum class Kind : uint8_t { kMissing, kInteger, kReal, kText };
  // The kind of each row. For texts, the word of the row is the number in texts().
  const std::vector<Kind>& Kinds(size_t column) const { return values_[column].kinds; }
  const std::vector<int64_t>& Words(size_t column) const { return values_[column].words; }
  const StringPool& texts() const { return texts_; }
  static double RealOf(int64_t word) { return std::bit_cast<double>(word); }

  size_t bytes() const;

 private:
  struct Values {
    std::vector<Kind> kinds;
    std::vector<int64_t> words;
    // Ids of previous texts by address: most texts recur at the same address, and comparing them is
    // cheaper than a lookup.
    std::array<StringId, 256> met{};
  };
  StringId IdOf(Values& values, std::string_view text);

  std::vector<Column> columns_;
  std::vector<Values> values_;
  std::vector<RowLink> links_;
  std::vector<std::string> notes_;
  StringPool texts_;
  size_t rows_ = 0;
};

// The columns of a report, with their units.
std::vector<Table::Column> TableColumns(const Report& report);

// Computes a report and stores its rows.
std::unique_ptr<Table> MakeTable(const Report& report, const ReportInput& input);

}  // namespace warpsight
