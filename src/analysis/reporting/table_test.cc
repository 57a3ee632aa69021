#include "analysis/reporting/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>
#include <variant>

namespace warpsight {
namespace {

std::vector<Table::Column> Columns() {
  return {{"Name", ColumnType::kText, "", "what"},
          {"Calls", ColumnType::kInteger, "", ""},
          {"Share (%)", ColumnType::kPercent, "%", ""}};
}

std::vector<Cell> Cells(Cell name, Cell calls, Cell share) { return {name, calls, share}; }

TEST(Table, ReturnsItsCells) {
  Table table(Columns());
  EXPECT_EQ(table.rows(), 0u);
  {
    const std::string gone = "a text that does not outlive the row";
    table.Row(Cells(std::string_view(gone), int64_t{7}, 12.5));
  }
  table.Row(Cells({}, {}, {}));
  table.Row(Cells(std::string_view(""), std::numeric_limits<int64_t>::max(), -0.0));
  ASSERT_EQ(table.rows(), 3u);
  EXPECT_EQ(std::get<std::string_view>(table.At(0, 0)), "a text that does not outlive the row");
  EXPECT_EQ(std::get<int64_t>(table.At(0, 1)), 7);
  EXPECT_EQ(std::get<double>(table.At(0, 2)), 12.5);
  for (size_t column = 0; column < 3; ++column) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(table.At(1, column)));
  }
  EXPECT_EQ(std::get<std::string_view>(table.At(2, 0)), "") << "an empty text is not a missing one";
  EXPECT_EQ(std::get<int64_t>(table.At(2, 1)), std::numeric_limits<int64_t>::max());
  EXPECT_TRUE(std::signbit(std::get<double>(table.At(2, 2))));
}

TEST(Table, ColumnsMayBeMixed) {
  Table table(Columns());
  table.Row(Cells(int64_t{3}, std::string_view("3"), int64_t{3}));
  EXPECT_EQ(std::get<int64_t>(table.At(0, 0)), 3);
  EXPECT_EQ(std::get<std::string_view>(table.At(0, 1)), "3");
  EXPECT_EQ(std::get<int64_t>(table.At(0, 2)), 3);
}

TEST(Table, LinksBelongToTheRowBefore) {
  Table table(Columns());
  table.Link(RowLink::To(MakeId<HostId>(9)));  // before any row: ignored
  table.Row(Cells({}, {}, {}));
  table.Row(Cells({}, {}, {}));
  table.Link(RowLink::To(MakeId<GpuId>(4)));
  table.Row(Cells({}, {}, {}));
  EXPECT_EQ(table.LinkOf(0).host, kNone<HostId>);
  EXPECT_EQ(table.LinkOf(0).gpu, kNone<GpuId>);
  EXPECT_EQ(Index(table.LinkOf(1).gpu), 4u);
  EXPECT_EQ(table.LinkOf(2).gpu, kNone<GpuId>);
}

TEST(Table, FindsColumnsByName) {
  const Table table(Columns());
  EXPECT_EQ(table.ColumnOf("Calls"), 1u);
  EXPECT_EQ(table.ColumnOf("calls"), 3u) << "as written";
  EXPECT_EQ(table.ColumnOf(""), 3u);
}

TEST(Table, KeepsEachTextOnce) {
  Table table(Columns());
  const size_t before = table.texts().size();
  for (int i = 0; i < 1000; ++i) table.Row(Cells(std::string_view("same"), int64_t{i}, {}));
  EXPECT_EQ(table.texts().size(), before + 1);
  EXPECT_GT(table.bytes(), 1000u * 27);
}

TEST(Table, HasTheColumnsOfItsReport) {
  for (const Report& report : AllReports()) {
    const auto columns = TableColumns(report);
    ASSERT_EQ(columns.size(), report.columns.size());
    for (size_t i = 0; i < columns.size(); ++i) {
      EXPECT_EQ(columns[i].name, report.columns[i].name);
      EXPECT_FALSE(columns[i].doc.empty()) << report.id << ' ' << columns[i].name;
      EXPECT_TRUE(report.columns[i].type != ColumnType::kDurationNs || columns[i].unit == "ns");
    }
  }
}

}  // namespace
}  // namespace warpsight
