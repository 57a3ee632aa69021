#include "model/number_rules.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {
namespace {

template <typename Tables>
void AddNumberColumns(std::set<std::string>& names) {
  Tables::Tables([&](std::string_view table, std::string_view, auto member) {
    using Table = std::remove_cvref_t<decltype(std::declval<Tables>().*member)>;
    Table::Columns([&](ColumnInfo info, auto column) {
      using T = typename std::remove_cvref_t<decltype(std::declval<Table>().*column)>::value_type;
      if constexpr (!std::is_enum_v<T>) {
        names.insert(std::string(table) + "." + std::string(info.name));
      }
    });
  });
}

TEST(NumberRules, ThereIsOneForEachColumnOfNumbers) {
  std::set<std::string> columns;
  AddNumberColumns<TraceTables>(columns);
  AddNumberColumns<FactTables>(columns);
  std::set<std::string> rules;
  for (const NumberRule& rule : NumberRules()) {
    const std::string name = std::string(rule.table) + "." + std::string(rule.column);
    EXPECT_TRUE(rules.insert(name).second) << name << " has two rules";
  }
  EXPECT_EQ(rules, columns);
}

}  // namespace
}  // namespace warpsight
