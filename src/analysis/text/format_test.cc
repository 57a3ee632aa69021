#include "analysis/text/format.h"

#include <gtest/gtest.h>

#include "analysis/text/display_width.h"

namespace warpsight {
namespace {

TEST(FormatTest, Counts) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1,000");
  EXPECT_EQ(FormatCount(-1234567), "-1,234,567");
}

TEST(FormatTest, FixedAndReal) {
  EXPECT_EQ(FormatFixed(1234567.89, 1), "1,234,567.9");
  EXPECT_EQ(FormatFixed(0.04, 1), "0.0");
  EXPECT_EQ(FormatReal(3), "3.0");
  EXPECT_EQ(FormatReal(0.125), "0.125");
  EXPECT_EQ(FormatReal(24.3333), "24.3");
  EXPECT_EQ(FormatReal(0.00012345), "0.000123");
}

TEST(FormatTest, DurationsScale) {
  EXPECT_EQ(FormatDuration(0), "0 ns");
  EXPECT_EQ(FormatDuration(999), "999 ns");
  EXPECT_EQ(FormatDuration(1000), "1.00 µs");
  EXPECT_EQ(FormatDuration(12345), "12.3 µs");
  EXPECT_EQ(FormatDuration(182.4e6), "182 ms");
  EXPECT_EQ(FormatDuration(999.96e6), "1.00 s");
  EXPECT_EQ(FormatDuration(1234e9), "1,234 s");
}

TEST(FormatTest, BytesAndShares) {
  EXPECT_EQ(FormatBytes(512), "512 B");
  EXPECT_EQ(FormatBytes(1.5e9), "1.50 GB");
  EXPECT_EQ(FormatShare(1, 3), "33.3 %");
  EXPECT_EQ(FormatShare(1, 1e6), "<0.1 %");
  EXPECT_EQ(FormatShare(0, 5), "0.0 %");
  EXPECT_EQ(FormatShare(9996, 1e4), ">99.9 %");
  EXPECT_EQ(FormatShare(7, 7), "100.0 %");
  EXPECT_EQ(FormatShare(0, 0), "n/a");
}

TEST(DisplayWidth, WidthAndShortening) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("é…"), 2u);
  EXPECT_EQ(DisplayWidth("漢字"), 4u);
  EXPECT_EQ(DisplayWidth("e\xCC\x81"), 1u);
  EXPECT_EQ(Shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(Shorten("abcdef", 4), "abc…");
  EXPECT_EQ(Shorten("漢字漢", 4), "漢…");
  EXPECT_EQ(Shorten("abc", 0), "");
  EXPECT_EQ(ShortenFront("forward/aten::mm", 9), "…aten::mm");
  EXPECT_EQ(ShortenFront("漢字漢", 4), "…漢");
}

}  // namespace
}  // namespace warpsight
