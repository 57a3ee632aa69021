#include "analysis/reporting/table.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

#include "analysis/reporting/renderer.h"

namespace warpsight {

Table::Table(std::vector<Column> columns)
    : columns_(std::move(columns)), values_(columns_.size()) {}

StringId Table::IdOf(Values& values, std::string_view text) {
  const auto place = reinterpret_cast<uintptr_t>(text.data());
  StringId& met = values.met[(place >> 4 ^ place >> 10) % values.met.size()];
  if (texts_.View(met) != text) met = texts_.Intern(text);
  return met;
}

void Table::Expect(size_t rows) {
  for (Values& values : values_) {
    values.kinds.reserve(rows);
    values.words.reserve(rows);
  }
  links_.reserve(rows);
}

void Table::Row(std::span<const Cell> cells) {
  for (size_t i = 0; i < values_.size(); ++i) {
    Kind kind = Kind::kMissing;
    int64_t word = 0;
    if (!IsMissing(cells[i])) {
      if (const auto* text = std::get_if<std::string_view>(&cells[i])) {
        kind = Kind::kText;
        word = static_cast<int64_t>(Index(IdOf(values_[i], *text)));
      } else if (const auto* real = std::get_if<double>(&cells[i])) {
        kind = Kind::kReal;
        word = std::bit_cast<int64_t>(*real);
      } else {
        kind = Kind::kInteger;
        word = std::get<int64_t>(cells[i]);
      }
    }
    values_[i].kinds.push_back(kind);
    values_[i].words.push_back(word);
  }
  ++rows_;
}

void Table::Link(const RowLink& link) {
  links_.resize(rows_);
  if (rows_ > 0) links_.back() = link;
}

Cell Table::At(size_t row, size_t column) const {
  const int64_t word = values_[column].words[row];
  switch (values_[column].kinds[row]) {
    case Kind::kMissing:
      break;
    case Kind::kInteger:
      return word;
    case Kind::kReal:
      return RealOf(word);
    case Kind::kText:
      return texts_.View(MakeId<StringId>(static_cast<size_t>(word)));
  }
  return {};
}

size_t Table::ColumnOf(std::string_view name) const {
  const auto it = std::find_if(columns_.begin(), columns_.end(),
                               [&](const Column& column) { return column.name == name; });
  return static_cast<size_t>(it - columns_.begin());
}

size_t Table::bytes() const {
  return rows_ * (columns_.size() * 9 + sizeof(RowLink)) + texts_.size() * 64;
}

std::vector<Table::Column> TableColumns(const Report& report) {
  std::vector<Table::Column> columns;
  for (const ReportColumn& column : report.columns) {
    columns.push_back({std::string(column.name), column.type, std::string(UnitOf(column)),
                       std::string(column.doc)});
  }
  return columns;
}

std::unique_ptr<Table> MakeTable(const Report& report, const ReportInput& input) {
  auto table = std::make_unique<Table>(TableColumns(report));
  report.compute(input, *table);
  return table;
}

}  // namespace warpsight
