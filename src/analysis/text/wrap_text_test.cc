#include "analysis/text/wrap_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpsight {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(WrapText, BreaksBetweenWords) {
  EXPECT_THAT(WrapText("kernels and copies", 11), ElementsAre("kernels and", "copies"));
  EXPECT_THAT(WrapText("kernels and copies", 10), ElementsAre("kernels", "and copies"));
  EXPECT_THAT(WrapText("a vectorized_elementwise_kernel is", 10),
              ElementsAre("a", "vectorized_elementwise_kernel", "is"));
  EXPECT_THAT(WrapText("", 10), IsEmpty());
}

TEST(WrapText, KeepsNumbersWithTheirUnits) {
  EXPECT_THAT(WrapText("they take 19.1 % of it", 14), ElementsAre("they take", "19.1 % of it"));
  EXPECT_THAT(WrapText("196 samples", 5), ElementsAre("196", "samples"));
}

TEST(WrapText, CountsColumnsAndNotBytes) {
  EXPECT_THAT(WrapText("µµµµ µµµµ", 9), ElementsAre("µµµµ µµµµ"));
}

TEST(HangingText, PutsTheTextBesideItsHead) {
  EXPECT_EQ(HangingText("  --rows N", 14, "rows of a text table", 28),
            "  --rows N    rows of a text\n              table\n");
  EXPECT_EQ(HangingText("  -o,--output FILE", 14, "what to write", 30),
            "  -o,--output FILE\n              what to write\n");
  EXPECT_EQ(HangingText("  --list", 14, "", 30), "  --list\n");
}

}  // namespace
}  // namespace warpsight
