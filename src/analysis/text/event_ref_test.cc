#include "analysis/text/event_ref.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

TEST(EventRefTest, RoundTrips) {
  for (size_t table = 0; table < kEventTableCount; ++table) {
    const EventRef event{static_cast<EventTable>(table), 4711};
    EXPECT_EQ(ParseEventRef(ToString(event)), event);
  }
  EXPECT_EQ(ToString({EventTable::kGpu, 123}), "gpu:123");
}

TEST(EventRefTest, RejectsOtherTexts) {
  for (const char* text : {"", "gpu", "gpu:", ":1", "gpu:-1", "gpu: 1", "gpu:1x", "gpu:4294967296",
                           "GPU:1", "kernel:1", "gpu:1:2"}) {
    EXPECT_FALSE(ParseEventRef(text)) << text;
  }
}

}  // namespace
}  // namespace warpsight
