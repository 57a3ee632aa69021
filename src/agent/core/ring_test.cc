#include "agent/core/ring.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <thread>
#include <vector>

namespace warpsight::agent {
namespace {

constexpr uint64_t kWords = 256;

bool Put(Ring& ring, uint32_t tag, uint32_t words, uint64_t value) {
  uint64_t* entry = ring.Reserve(tag, words);
  if (entry == nullptr) return false;
  for (uint32_t i = 0; i < words; ++i) entry[i] = value + i;
  ring.Commit();
  return true;
}

TEST(Ring, GivesBackWhatWasPutInOrderAroundTheEnd) {
  std::vector<uint64_t> memory(kWords);
  Ring ring(memory.data(), kWords);
  struct Expected {
    uint32_t tag, words;
    uint64_t value;
  };
  std::deque<Expected> expected;
  std::mt19937 random(1);
  uint64_t refused = 0;
  uint64_t taken = 0;
  for (uint32_t i = 0; i < 20000; ++i) {
    const Expected entry{i, static_cast<uint32_t>(random() % 30), random()};
    if (Put(ring, entry.tag, entry.words, entry.value)) {
      expected.push_back(entry);
    } else {
      ++refused;
    }
    if (random() % 8 != 0) continue;
    ring.Drain([&](const Ring::Entry& got) {
      ASSERT_FALSE(expected.empty());
      EXPECT_EQ(got.tag, expected.front().tag);
      ASSERT_EQ(got.words, expected.front().words);
      for (uint32_t w = 0; w < got.words; ++w) {
        EXPECT_EQ(got.data[w], expected.front().value + w);
      }
      expected.pop_front();
      ++taken;
    });
    EXPECT_TRUE(expected.empty());
    EXPECT_TRUE(ring.Empty());
  }
  EXPECT_GT(refused, 0U);
  EXPECT_GT(taken, 10000U);
}

TEST(Ring, TakesNothingMoreWhenFullAndSaysItIsHalfFull) {
  std::vector<uint64_t> memory(kWords);
  Ring ring(memory.data(), kWords);
  int count = 0;
  while (Put(ring, 1, 7, 0)) {
    ++count;
    EXPECT_EQ(ring.HalfFull(), count * 8 > static_cast<int>(kWords) / 2);
  }
  EXPECT_EQ(count, static_cast<int>(kWords) / 8);
  ring.Drain([](const Ring::Entry&) {});
  EXPECT_TRUE(Put(ring, 1, 7, 0));
  EXPECT_FALSE(ring.HalfFull());
}

TEST(Ring, OneThreadWritesAndAnotherReads) {
  std::vector<uint64_t> memory(kWords);
  Ring ring(memory.data(), kWords);
  constexpr uint64_t kCount = 200000;
  std::thread writer([&] {
    for (uint64_t i = 0; i < kCount;) {
      if (Put(ring, static_cast<uint32_t>(i), 1 + i % 5, i)) ++i;
    }
  });
  uint64_t next = 0;
  while (next < kCount) {
    ring.Drain([&](const Ring::Entry& entry) {
      ASSERT_EQ(entry.tag, static_cast<uint32_t>(next));
      ASSERT_EQ(entry.words, 1 + next % 5);
      ASSERT_EQ(entry.data[entry.words - 1], next + entry.words - 1);
      ++next;
    });
  }
  writer.join();
}

}  // namespace
}  // namespace warpsight::agent
