#include "base/string_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <unordered_map>
#include <utility>

namespace warpsight {
namespace {

TEST(StringPool, EmptyTextIsIdZero) {
  StringPool pool;
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.Intern(""), StringId::kEmpty);
  EXPECT_EQ(pool.View(StringId::kEmpty), "");
  EXPECT_EQ(pool.Find(std::string_view()), StringId::kEmpty);
}

TEST(StringPool, AgreesWithAMap) {
  StringPool pool;
  std::unordered_map<std::string, StringId> expected;
  for (int i = 0; i < 50'000; ++i) {
    // Lengths around the hash's 16-byte steps, and texts that differ only at either end.
    std::string text = std::to_string(i % 20'011) + std::string(i % 37, 'x');
    if (i % 2 == 0) text.insert(0, static_cast<size_t>(i % 33), 'y');
    const StringId id = pool.Intern(text);
    const auto [it, added] = expected.try_emplace(text, id);
    ASSERT_EQ(it->second, id) << text;
  }
  EXPECT_EQ(pool.size(), expected.size() + 1);
  for (const auto& [text, id] : expected) {
    ASSERT_EQ(pool.View(id), text);
    ASSERT_EQ(pool.Find(text), id);
  }
  EXPECT_EQ(pool.Find("never seen"), kNone<StringId>);
}

TEST(StringPool, DistinguishesTextsByNulsAndLength) {
  StringPool pool;
  const StringId a = pool.Intern(std::string_view("a\0", 2));
  const StringId b = pool.Intern("a");
  const StringId c = pool.Intern(std::string_view("a\0\0", 3));
  EXPECT_NE(a, b);
  EXPECT_NE(a, c);
  EXPECT_EQ(pool.View(a).size(), 2u);
}

TEST(StringPool, ViewsSurviveGrowthAndMoves) {
  StringPool pool;
  const std::string_view small = pool.View(pool.Intern("small"));
  const std::string long_text(1'000'000, 'z');  // larger than a block
  const std::string_view large = pool.View(pool.Intern(long_text));
  for (int i = 0; i < 10'000; ++i) pool.Intern(std::to_string(i));
  const StringPool moved = std::move(pool);
  EXPECT_EQ(small, "small");
  EXPECT_EQ(large, long_text);
  EXPECT_EQ(moved.Find(long_text), MakeId<StringId>(2));
}

// Names that all have the same hash under multiply-fold with its usual constants: after the first
// 16 characters, the next 8 make a factor zero, so that the last 8, which differ, have no effect.
// Each lookup would then compare with all other names.
TEST(StringPool, NamesCannotBeMadeToCollide) {
  const auto seconds = [](const std::string& prefix) {
    const auto start = std::chrono::steady_clock::now();
    StringPool pool;
    for (int i = 10'000'000; i < 10'030'000; ++i) pool.Intern(prefix + std::to_string(i));
    EXPECT_EQ(pool.size(), 30'001u);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double ordinary = seconds("an ordinary kernel name");
  EXPECT_LT(seconds("k000000000004995DYF-{-!L"), 20 * ordinary + 0.1);
}

}  // namespace
}  // namespace warpsight
