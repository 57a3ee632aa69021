#include "analysis/reporting/render_columns.h"

#include <cstdint>

#include "analysis/testing/hand_made_profile.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpsight {
namespace {

using testing::HasSubstr;
using testing::Not;

void Compute(const ReportInput&, RowSink& sink) {
  const Cell first[] = {Cell("a_name_that_is_much_too_long_for_the_page_it_is_on"), int64_t{7},
                        int64_t{1'500'000}};
  const Cell second[] = {Cell("short"), int64_t{8}, Cell()};
  sink.Row(first);
  sink.Row(second);
}

TEST(RenderColumns, ShowsTheNamedColumnsForPeople) {
  HandMadeProfile hand_made(1);
  ProfileView profile = hand_made.Finish();
  const RangeSummary range;
  const Report report{"test",
                      "Test",
                      "",
                      {{"Name", ColumnType::kText, ""},
                       {"Number", ColumnType::kInteger, ""},
                       {"Time (ns)", ColumnType::kDurationNs, ""}},
                      Compute};
  TextStyle style;
  style.width = 40;
  const std::string text = RenderColumns(report, {"Name", "Time (ns)"}, {profile, range}, style);
  EXPECT_THAT(text, HasSubstr("1.50 ms"));
  EXPECT_THAT(text, HasSubstr("2 of 3 columns"));
  EXPECT_THAT(text, HasSubstr("it_is_on"));
  EXPECT_THAT(text, Not(HasSubstr("Number")));
  style.max_rows = 1;
  EXPECT_THAT(RenderColumns(report, {"Name", "Time (ns)"}, {profile, range}, style),
              HasSubstr("1 more row"));
}

}  // namespace
}  // namespace warpsight
