#include "analysis/reporting/table_query.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <random>
#include <variant>

namespace warpsight {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::vector<Table::Column> Columns() {
  return {{"Name", ColumnType::kText, "", ""},
          {"Calls", ColumnType::kInteger, "", ""},
          {"Share (%)", ColumnType::kPercent, "%", ""},
          {"TC", ColumnType::kYesNo, "", ""}};
}

// Five rows; each column has one missing value.
Table Example() {
  Table table(Columns());
  const auto row = [&](Cell name, Cell calls, Cell share, Cell tc) {
    const std::vector<Cell> cells = {name, calls, share, tc};
    table.Row(cells);
  };
  row(std::string_view("aten::mm"), int64_t{10}, 50.25, int64_t{1});
  row(std::string_view("aten::Add"), int64_t{200}, 12.0, int64_t{0});
  row({}, int64_t{-3}, 0.0, int64_t{0});
  row(std::string_view("Zebra"), {}, kNan, int64_t{1});
  row(std::string_view("aten::mm"), int64_t{10}, {}, {});
  return table;
}

std::vector<uint32_t> Select(const Table& table, const TableQuery& query) {
  auto rows = SelectRows(table, query);
  EXPECT_TRUE(rows.ok()) << rows.error().message;
  return rows.ok() ? *rows : std::vector<uint32_t>{};
}
std::vector<uint32_t> Filtered(const std::string& column, const std::string& filter) {
  return Select(Example(), {"", {{column, filter}}, "", false});
}
std::vector<uint32_t> Sorted(const std::string& column, bool descending) {
  return Select(Example(), {"", {}, column, descending});
}
std::vector<uint32_t> Found(const std::string& search) {
  return Select(Example(), {search, {}, "", false});
}

TEST(TableQuery, OwnOrderWithoutAQuery) {
  EXPECT_THAT(Select(Example(), {}), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(Select(Table(Columns()), {"x", {}, "Calls", true}), IsEmpty());
}

TEST(TableQuery, MissingValuesComeLastEitherWay) {
  EXPECT_THAT(Sorted("Calls", false), ElementsAre(2, 0, 4, 1, 3));
  EXPECT_THAT(Sorted("Calls", true), ElementsAre(1, 0, 4, 2, 3)) << "equal ones in their own order";
  EXPECT_THAT(Sorted("Name", false), ElementsAre(3, 1, 0, 4, 2));
  EXPECT_THAT(Sorted("Name", true), ElementsAre(0, 4, 1, 3, 2));
  EXPECT_THAT(Sorted("Share (%)", false), ElementsAre(2, 1, 0, 3, 4));
  EXPECT_THAT(Sorted("Share (%)", true), ElementsAre(0, 1, 2, 3, 4));
}

TEST(TableQuery, RangesOfNumbers) {
  EXPECT_THAT(Filtered("Calls", "10"), ElementsAre(0, 4));
  EXPECT_THAT(Filtered("Calls", "10..200"), ElementsAre(0, 1, 4));
  EXPECT_THAT(Filtered("Calls", "11.."), ElementsAre(1));
  EXPECT_THAT(Filtered("Calls", "..-1"), ElementsAre(2));
  EXPECT_THAT(Filtered("Calls", "-3..-3"), ElementsAre(2));
  EXPECT_THAT(Filtered("Calls", ".."), ElementsAre(0, 1, 2, 4)) << "what has a number";
  EXPECT_THAT(Filtered("Calls", "200..10"), IsEmpty());
  EXPECT_THAT(Filtered("Share (%)", "0.5..50.25"), ElementsAre(0, 1));
  EXPECT_THAT(Filtered("Share (%)", ".5..1e3"), ElementsAre(0, 1));
}

TEST(TableQuery, YesAndNo) {
  EXPECT_THAT(Filtered("TC", "1"), ElementsAre(0, 3));
  EXPECT_THAT(Filtered("TC", "0"), ElementsAre(1, 2));
}

TEST(TableQuery, TextsContainOrEqual) {
  EXPECT_THAT(Filtered("Name", "ATEN"), ElementsAre(0, 1, 4));
  EXPECT_THAT(Filtered("Name", "=aten::mm"), ElementsAre(0, 4));
  EXPECT_THAT(Filtered("Name", "=aten"), IsEmpty());
  EXPECT_THAT(Filtered("Name", "=ATEN::MM"), IsEmpty()) << "equal is equal";
  EXPECT_THAT(Filtered("Name", "="), ElementsAre(2)) << "the missing ones";
  EXPECT_THAT(Filtered("Name", "10"), IsEmpty()) << "of this column only";
}

TEST(TableQuery, SeveralFiltersAreAnd) {
  EXPECT_THAT(Select(Example(), {"", {{"Name", "mm"}, {"TC", "1"}}, "", false}), ElementsAre(0));
  EXPECT_THAT(Select(Example(), {"", {{"Calls", "5.."}, {"Calls", "..20"}}, "", false}),
              ElementsAre(0, 4));
  EXPECT_THAT(Select(Example(), {"zebra", {{"TC", "0"}}, "", false}), IsEmpty());
}

TEST(TableQuery, SearchesEveryCell) {
  EXPECT_THAT(Found("MM"), ElementsAre(0, 4));
  EXPECT_THAT(Found("200"), ElementsAre(1));
  EXPECT_THAT(Found("50.2"), ElementsAre(0));
  EXPECT_THAT(Found("-3"), ElementsAre(2));
  EXPECT_THAT(Found("yes"), ElementsAre(0, 3));
  EXPECT_THAT(Found("nan"), IsEmpty()) << "what is missing contains nothing";
  EXPECT_THAT(Found("nothing like it"), IsEmpty());
}

TEST(TableQuery, ErrorsNameTheInvalidPart) {
  const Table table = Example();
  for (const char* filter : {"x", "1..x", "..x", "1..2x", "1-2", "NaN", "1..2..3", " 1"}) {
    const auto rows = SelectRows(table, {"", {{"Calls", filter}}, "", false});
    ASSERT_FALSE(rows.ok()) << filter;
    EXPECT_THAT(rows.error().message, HasSubstr("Calls")) << filter;
  }
  EXPECT_THAT(SelectRows(table, {"", {{"Nope", "1"}}, "", false}).error().message,
              HasSubstr("'Nope'"));
  EXPECT_THAT(SelectRows(table, {"", {}, "nope", false}).error().message, HasSubstr("'nope'"));
}

TEST(TableQuery, SortsIntegersBeyondTheDoubles) {
  Table table({{"N", ColumnType::kInteger, "", ""}});
  const int64_t big = int64_t{1} << 60;
  for (const int64_t n : {big + 3, big + 1, big + 2, big}) {
    const std::vector<Cell> cells = {n};
    table.Row(cells);
  }
  EXPECT_THAT(Select(table, {"", {}, "N", false}), ElementsAre(3, 1, 2, 0));
}

TEST(TableQuery, NumbersAmongTexts) {
  Table table({{"Value", ColumnType::kText, "", ""}});
  for (const Cell cell : {Cell(std::string_view("b")), Cell(int64_t{12}), Cell(2.5),
                          Cell(std::string_view("a")), Cell()}) {
    const std::vector<Cell> cells = {cell};
    table.Row(cells);
  }
  EXPECT_THAT(Select(table, {"", {}, "Value", false}), ElementsAre(2, 1, 3, 0, 4));
  EXPECT_THAT(Select(table, {"", {{"Value", "=12"}}, "", false}), ElementsAre(1));
  EXPECT_THAT(Select(table, {"", {{"Value", "2.5"}}, "", false}), ElementsAre(2));
}

// The same semantics, implemented as simply as possible, cell by cell.
class Oracle {
 public:
  explicit Oracle(const Table& table) : table_(table) {}

  std::vector<uint32_t> Select(const TableQuery& query) const {
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < table_.rows(); ++row) {
      bool kept = query.search.empty() || Found(row, query.search);
      for (const auto& [column, filter] : query.filters) {
        kept = kept && Passes(row, table_.ColumnOf(column), filter);
      }
      if (kept) rows.push_back(row);
    }
    if (query.sort.empty()) return rows;
    const size_t column = table_.ColumnOf(query.sort);
    std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
      const Cell x = table_.At(a, column);
      const Cell y = table_.At(b, column);
      if (Rank(x) != Rank(y)) return Rank(x) < Rank(y);
      if (Rank(x) == 2) return false;
      return query.descending ? Less(y, x) : Less(x, y);
    });
    return rows;
  }

 private:
  static double Number(const Cell& cell) {
    if (const auto* real = std::get_if<double>(&cell)) return *real;
    const auto* integer = std::get_if<int64_t>(&cell);
    return integer == nullptr ? kNan : static_cast<double>(*integer);
  }
  static int Rank(const Cell& cell) {
    if (std::holds_alternative<std::string_view>(cell)) return 1;
    return std::isnan(Number(cell)) ? 2 : 0;
  }
  static bool Less(const Cell& a, const Cell& b) {
    if (Rank(a) == 1) return std::get<std::string_view>(a) < std::get<std::string_view>(b);
    return Number(a) < Number(b);
  }
  static std::string Lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  }
  static bool Contains(std::string_view text, const std::string& wanted) {
    return Lower(std::string(text)).find(Lower(wanted)) != std::string::npos;
  }
  bool Found(uint32_t row, const std::string& search) const {
    for (size_t column = 0; column < table_.columns().size(); ++column) {
      const Cell cell = table_.At(row, column);
      if (const auto* text = std::get_if<std::string_view>(&cell)) {
        if (Contains(*text, search)) return true;
      } else if (std::isnan(Number(cell))) {
        continue;
      } else if (table_.columns()[column].type == ColumnType::kYesNo) {
        if (Lower(search) == (Number(cell) != 0 ? "yes" : "no")) return true;
      } else if (const auto* integer = std::get_if<int64_t>(&cell)) {
        if (Contains(fmt::format("{}", *integer), search)) return true;
      } else if (Contains(fmt::format("{:.1f}", Number(cell)), search)) {
        return true;
      }
    }
    return false;
  }
  bool Passes(uint32_t row, size_t column, const std::string& filter) const {
    const Cell cell = table_.At(row, column);
    if (table_.columns()[column].type == ColumnType::kText) {
      const auto* text = std::get_if<std::string_view>(&cell);
      if (filter.starts_with('=')) return (text == nullptr ? "" : *text) == filter.substr(1);
      return text != nullptr && Contains(*text, filter);
    }
    const size_t dots = filter.find("..");
    const std::string least = filter.substr(0, dots);
    const std::string most = dots == std::string::npos ? least : filter.substr(dots + 2);
    const double value = Number(cell);
    return value >= (least.empty() ? -kInfinite : std::stod(least)) &&
           value <= (most.empty() ? kInfinite : std::stod(most));
  }

  const Table& table_;
};

class RandomTables : public ::testing::TestWithParam<int> {
 protected:
  size_t Up(size_t n) { return random_() % n; }

  Table Make(size_t rows) {
    Table table(Columns());
    for (size_t i = 0; i < rows; ++i) {
      const std::string name = fmt::format("{}::Op{}", Up(2) == 0 ? "aten" : "Module", Up(30));
      std::vector<Cell> cells = {std::string_view(name), static_cast<int64_t>(Up(40)) - 5,
                                 static_cast<double>(Up(1000)) / 8, static_cast<int64_t>(Up(2))};
      for (Cell& cell : cells) {
        if (Up(7) == 0) cell = {};
      }
      if (Up(50) == 0) cells[2] = kNan;
      table.Row(cells);
    }
    return table;
  }

  TableQuery MakeQuery() {
    TableQuery query;
    const std::string searches[] = {"", "", "op1", "ATEN", "2", "12.5", "no", "yes", "-", "x"};
    query.search = searches[Up(std::size(searches))];
    const std::string texts[] = {"op2", "=aten::Op3", "=", "MODULE", "nothing"};
    const std::string ranges[] = {"3", "0..10", "5..", "..7", "-2..2", "12.5..99.125", "9..1"};
    const Table columns(Columns());
    for (size_t n = Up(3); n > 0; --n) {
      const size_t column = Up(4);
      query.filters.emplace_back(
          columns.columns()[column].name,
          column == 0 ? texts[Up(std::size(texts))] : ranges[Up(std::size(ranges))]);
    }
    if (Up(4) != 0) query.sort = columns.columns()[Up(4)].name;
    query.descending = Up(2) == 0;
    return query;
  }

  std::mt19937 random_{static_cast<unsigned>(GetParam())};
};

TEST_P(RandomTables, AgreeWithTheOracle) {
  // The largest table is divided among several cores.
  for (const size_t rows : {0u, 1u, 2u, 50u, 300u, 40000u}) {
    const Table table = Make(rows);
    const Oracle oracle(table);
    for (int i = 0; i < (rows > 1000 ? 10 : 60); ++i) {
      const TableQuery query = MakeQuery();
      std::string told = fmt::format("search '{}' sort '{}' {}", query.search, query.sort,
                                     query.descending ? "desc" : "asc");
      for (const auto& [column, filter] : query.filters) told += ' ' + column + ':' + filter;
      const std::vector<uint32_t> expected = oracle.Select(query);
      EXPECT_TRUE(Select(table, query) == expected) << rows << " rows, " << told;
      const size_t begin = Up(expected.size() + 2);
      const size_t end = begin + Up(30);
      auto page = SelectRows(table, query, {begin, end});
      ASSERT_TRUE(page.ok());
      ASSERT_EQ(page->size(), expected.size());
      for (size_t at = begin; at < std::min(end, expected.size()); ++at) {
        ASSERT_EQ((*page)[at], expected[at]) << rows << " rows, " << told;
      }
      std::sort(page->begin(), page->end());
      EXPECT_TRUE(std::adjacent_find(page->begin(), page->end()) == page->end()) << "none twice";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTables, ::testing::Range(1, 6));

}  // namespace
}  // namespace warpsight
