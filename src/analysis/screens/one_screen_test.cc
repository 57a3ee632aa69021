#include "analysis/screens/one_screen.h"

#include <algorithm>
#include <sstream>

#include "analysis/testing/hand_made_profile.h"
#include "analysis/text/display_width.h"
#include "analysis/text/screen_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpsight {
namespace {

using testing::HasSubstr;
using testing::Not;

RangeSummary RangeWithTime() {
  RangeSummary range;
  range.first = 0;
  range.last = 0;
  range.total = 1;
  range.windows = {{0, 1000}};
  range.wall = range.average_iteration = range.capacity = 1000;
  range.explanation = "1 iteration";
  range.verdict_reason =
      "a long reason that has to be broken between its words because it does "
      "not fit beside the margin of a narrow page";
  return range;
}

void ExpectFits(const std::string& text, int width) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(DisplayWidth(line), static_cast<size_t>(width)) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(OneScreen, FitsItsWidth) {
  HandMadeProfile hand_made(1);
  const HostId op = hand_made.Op("aten::an_op_with_a_rather_long_name_that_must_be_cut", 10, 100);
  const ApiId api = hand_made.Api("cudaLaunchKernel", 20, 5, op);
  hand_made.Kernel("namespace_a::namespace_b::a_kernel_with_a_long_name_" + std::string(80, 'x'),
                   100, 500, api, TensorCores::kYes);
  RangeSummary range = RangeWithTime();
  ProfileView profile = hand_made.Finish(range);
  EntryTimes times{};
  times[static_cast<size_t>(LedgerEntry::kTensorCores)] = 500;
  times[static_cast<size_t>(LedgerEntry::kIdleHostWork)] = 500;
  range.capacity = 0;
  range.AddGpu(DeviceId{0}, {0, 1000}, times);
  for (const int width : {80, 100, 120}) {
    const std::string text = OneScreen({profile, range}, {.color = false, .width = width});
    ExpectFits(text, width);
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, HasSubstr("host work before the launch 50.0 %"));
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 40);
  }
  EXPECT_THAT(OneScreen({profile, range}, {.color = true, .width = 100}), HasSubstr("\x1b[32m"));
}

TEST(OneScreen, WithoutGpuWorkOpsCountByCpuTime) {
  HandMadeProfile hand_made(1);
  hand_made.Op("aten::add", 10, 100);
  const RangeSummary range = RangeWithTime();
  ProfileView profile = hand_made.Finish(range);
  const std::string text = OneScreen({profile, range}, {.color = false, .width = 80});
  EXPECT_THAT(text, HasSubstr("by CPU time"));
  EXPECT_THAT(text, Not(HasSubstr("Kernels")));
}

TEST(OneScreen, WithoutOpsSaysSo) {
  HandMadeProfile hand_made(1);
  hand_made.Kernel("kernel", 100, 500);
  const RangeSummary range = RangeWithTime();
  ProfileView profile = hand_made.Finish(range);
  EXPECT_THAT(OneScreen({profile, range}, {.color = false, .width = 80}),
              HasSubstr("No recorded op launched the GPU work."));
}

TEST(OneScreen, EmptyProfile) {
  HandMadeProfile hand_made(1);
  RangeSummary range = RangeWithTime();
  ProfileView profile = hand_made.Finish(range);
  range.capacity = 0;
  EXPECT_THAT(OneScreen({profile, range}, {.color = false, .width = 80}),
              HasSubstr("The analyzed steps contain no ops."));
}

TEST(Bar, FillsToAnEighthOfAColumn) {
  EXPECT_EQ(Bar(0, 4), "    ");
  EXPECT_EQ(Bar(1, 4), "████");
  EXPECT_EQ(Bar(0.5, 3), "█▌ ");
  EXPECT_EQ(Bar(7, 2), "██");
}

TEST(StackedBar, HasExactlyItsWidth) {
  const BarPart parts[] = {
      {0.334, "a", Ink::kRed}, {0.333, "b", Ink::kRed}, {0.333, "c", Ink::kRed}};
  EXPECT_EQ(StackedBar(parts, 10, {}), "aaabbbbccc");
}

TEST(ShortenMiddle, KeepsBothEnds) {
  EXPECT_EQ(ShortenMiddle("abcdefghijklmnop", 10), "abcdef…nop");
  EXPECT_EQ(ShortenMiddle("short", 10), "short");
}

TEST(Page, KeepsNumbersAndUnitsTogether) {
  Page page({.color = false, .width = 72});
  page.Paragraph(std::string(50, 'x') + " 19.1 % of it");
  EXPECT_EQ(page.Take(), std::string(14, ' ') + std::string(50, 'x') + " 19.1 %\n" +
                             std::string(14, ' ') + "of it\n");
}

}  // namespace
}  // namespace warpsight
