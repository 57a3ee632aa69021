#include "base/seeded_hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/ids.h"

namespace warpsight {
namespace {

TEST(SeededHash, EqualKeysHaveEqualHashes) {
  const SeededHash hash;
  EXPECT_EQ(hash(std::string("text")), hash(std::string_view("text")));
  EXPECT_EQ(hash(std::pair{StringId{3}, int64_t{-1}}), hash(std::pair{StringId{3}, int64_t{-1}}));
}

TEST(SeededHash, EveryPartOfAKeyCounts) {
  const SeededHash hash;
  EXPECT_NE(hash(std::pair{1, 2}), hash(std::pair{2, 1}));
  EXPECT_NE(hash(std::tuple{1, 2, 3}), hash(std::tuple{1, 2, 4}));
  EXPECT_NE(hash(std::array{0, 0}), hash(std::array{0, 1}));
  EXPECT_NE(hash(std::pair{std::string("a"), std::string("b")}),
            hash(std::pair{std::string("b"), std::string("a")}));
  EXPECT_NE(hash(std::string("a")), hash(std::string("a\0", 2)));
}

// Multiples of a power of two have products with equal low bits; the high half must distinguish
// them.
TEST(SeededHash, LowBitsOfRegularNumbersDiffer) {
  const SeededHash hash;
  for (const int shift : {0, 12, 22, 32, 44}) {
    std::set<size_t> low;
    for (uint64_t i = 0; i < 4096; ++i) low.insert(hash(i << shift) & 0xFFFF);
    EXPECT_GT(low.size(), 3000u) << shift;
  }
}

}  // namespace
}  // namespace warpsight
