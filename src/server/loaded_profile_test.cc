#include "server/loaded_profile.h"

#include <gtest/gtest.h>

namespace warpsight::server {
namespace {

TEST(AggregationKey, RoundTripsThroughItsId) {
  AggregationKey key;
  key.first = 2;
  key.last = 5;
  EXPECT_EQ(key.Id(), "2-5");
  key.key_op = "aten::linear";
  EXPECT_EQ(key.Id(), "2-5@aten::linear");
  key.first = key.last = std::nullopt;
  EXPECT_EQ(key.Id(), "auto@aten::linear");
}

}  // namespace
}  // namespace warpsight::server
