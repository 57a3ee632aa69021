#include "analysis/whatif/whatif_edits.h"

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpsight {
namespace {

using testing::HasSubstr;

std::string ScaleError(std::string_view text) {
  const auto edit = ParseScale(text);
  return edit.ok() ? "" : edit.error().message;
}

std::string RemoveError(std::string_view text) {
  const auto edit = ParseRemove(text);
  return edit.ok() ? "" : edit.error().message;
}

TEST(ParseScale, ReadsKindPatternAndFactor) {
  const auto edit = ParseScale("kernel~gemm|nvjet=0.5");
  ASSERT_TRUE(edit.ok());
  EXPECT_EQ(edit->target, EditTarget::kKernel);
  EXPECT_EQ(edit->pattern, "gemm|nvjet");
  EXPECT_EQ(edit->factor, 0.5);
  EXPECT_FALSE(edit->remove);
  EXPECT_EQ(edit->text, "kernel~gemm|nvjet=0.5");
}

TEST(ParseScale, EveryKind) {
  for (const auto& [text, target] : {std::pair{"kernel~x=2", EditTarget::kKernel},
                                     {"copy~x=2", EditTarget::kCopy},
                                     {"op~x=2", EditTarget::kOp},
                                     {"cpu~x=2", EditTarget::kCpu},
                                     {"api~x=2", EditTarget::kApi}}) {
    const auto edit = ParseScale(text);
    ASSERT_TRUE(edit.ok()) << text;
    EXPECT_EQ(edit->target, target) << text;
  }
}

TEST(ParseScale, APatternMayContainTildesAndEqualSigns) {
  const auto edit = ParseScale("op~a~b=c=1e-1");
  ASSERT_TRUE(edit.ok());
  EXPECT_EQ(edit->pattern, "a~b=c");
  EXPECT_EQ(edit->factor, 0.1);
}

TEST(ParseScale, ErrorsSayWhatIsWrong) {
  EXPECT_THAT(ScaleError("kernel~gemm"), HasSubstr("has no factor"));
  EXPECT_THAT(ScaleError("kernel~gemm="), HasSubstr("'' is not a number"));
  EXPECT_THAT(ScaleError("kernel~gemm=half"), HasSubstr("'half' is not a number"));
  EXPECT_THAT(ScaleError("kernel~gemm=0.5x"), HasSubstr("is not a number"));
  EXPECT_THAT(ScaleError("kernel~gemm=nan"), HasSubstr("is not a number"));
  EXPECT_THAT(ScaleError("kernel~gemm=inf"), HasSubstr("is not a number"));
  EXPECT_THAT(ScaleError("kernel~gemm=-0.5"), HasSubstr("cannot be negative"));
  EXPECT_THAT(ScaleError("gemm=0.5"), HasSubstr("must begin with kernel~"));
  EXPECT_THAT(ScaleError("kernels~gemm=0.5"), HasSubstr("must begin with kernel~"));
  EXPECT_THAT(ScaleError("=1"), HasSubstr("must begin with kernel~"));
  EXPECT_THAT(ScaleError(""), HasSubstr("has no factor"));
  EXPECT_THAT(ScaleError("kernel~=0.5"), HasSubstr("has an empty pattern"));
  EXPECT_THAT(ScaleError("kernel~(gemm=0.5"), HasSubstr("not a valid regular expression"));
}

TEST(ParseRemove, HasTheFactorZero) {
  const auto edit = ParseRemove("api~Synchronize$");
  ASSERT_TRUE(edit.ok());
  EXPECT_EQ(edit->target, EditTarget::kApi);
  EXPECT_EQ(edit->pattern, "Synchronize$");
  EXPECT_EQ(edit->factor, 0);
  EXPECT_TRUE(edit->remove);
}

TEST(ParseRemove, ErrorsSayWhatIsWrong) {
  EXPECT_THAT(RemoveError("Synchronize"), HasSubstr("must begin with kernel~"));
  EXPECT_THAT(RemoveError("op~"), HasSubstr("has an empty pattern"));
  EXPECT_THAT(RemoveError("op~*"), HasSubstr("not a valid regular expression"));
}

}  // namespace
}  // namespace warpsight
