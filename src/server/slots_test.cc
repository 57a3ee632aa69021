#include "server/slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <vector>

namespace warpsight::server {
namespace {

TEST(Slots, LimitsTheNumberOfTurns) {
  Slots slots(2);
  std::optional<Slots::Turn> first(slots);
  const Slots::Turn second(slots);
  EXPECT_TRUE(*first);
  EXPECT_TRUE(second);
  EXPECT_FALSE(Slots::Turn(slots));
  EXPECT_FALSE(Slots::Turn(slots)) << "who was refused took no place";
  first.reset();
  EXPECT_TRUE(Slots::Turn(slots));
  EXPECT_TRUE(Slots::Turn(slots)) << "a place that was given back is free again";
}

TEST(Slots, NeverExceedsTheLimitAcrossThreads) {
  Slots slots(3);
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        const Slots::Turn turn(slots);
        if (!turn) continue;
        const int now = ++inside;
        int seen = most;
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 3);
  const Slots::Turn a(slots);
  const Slots::Turn b(slots);
  const Slots::Turn c(slots);
  EXPECT_TRUE(a && b && c) << "all places are free again";
}

}  // namespace
}  // namespace warpsight::server
