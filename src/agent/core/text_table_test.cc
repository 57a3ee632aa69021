#include "agent/core/text_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace warpsight::agent {
namespace {

TEST(TextTable, GivesEachTextOneNumber) {
  TextTable table;
  std::map<std::string, uint32_t> numbers;
  uint32_t last = 0;
  std::mt19937 random(1);
  for (int i = 0; i < 50000; ++i) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = static_cast<char>('a' + random() % 2);
    if (text.size() > 12) text.resize(12);
    const auto found = table.Number(text, [&] { return ++last; });
    const auto [it, added] = numbers.try_emplace(text, found.number);
    EXPECT_EQ(found.is_new, added) << text;
    EXPECT_EQ(it->second, found.number) << text;
  }
  EXPECT_EQ(numbers.size(), last);
}

TEST(TextTable, ForgetsWhenAProgramMakesUpNamesWithoutEnd) {
  TextTable table;
  uint32_t last = 0;
  const auto number = [&](const std::string& text) {
    return table.Number(text, [&] { return ++last; });
  };
  number("first");
  for (int i = 0; i < 200000; ++i) EXPECT_TRUE(number("name " + std::to_string(i)).is_new);
  EXPECT_TRUE(number("first").is_new);
  EXPECT_FALSE(number("first").is_new);
}

}  // namespace
}  // namespace warpsight::agent
