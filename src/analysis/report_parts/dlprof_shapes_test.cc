#include "analysis/report_parts/dlprof_shapes.h"

#include "analysis/testing/hand_made_profile.h"
#include "gtest/gtest.h"

namespace warpsight {
namespace {

class DlprofShapesTest : public testing::Test {
 protected:
  DlprofShapes Of(std::string_view op, std::string_view dims, std::string_view types,
                  std::string_view values) {
    HandMadeProfile hand_made(1);
    const HostId call = hand_made.Op(op, 0, 10);
    hand_made.Inputs(call, dims, types, values);
    const ProfileView profile = hand_made.Finish();
    return ShapesAsInDlprof(profile.trace, op, profile.trace.tables.host.signature[Index(call)]);
  }
};

constexpr const char* kConvTypes = R"(["float", "float", "float", "", "", "", ""])";

TEST_F(DlprofShapesTest, ConvolutionsHaveLettersAndAnOutput) {
  const DlprofShapes shapes = Of("conv2d", "[[8, 3, 32, 30], [16, 3, 5, 3], [16], [], [], [], []]",
                                 kConvTypes, R"(["", "", "", "[2, 1]", "[1, 0]", "[1, 1]", "1"])");
  EXPECT_EQ(shapes.inputs, "<N:8, C:3, H:32, W:30>; <K:16, C:3, R:5, S:3>; <16>");
  EXPECT_EQ(shapes.outputs, "<N:8, K:16, P:15, Q:28>");
}

// An argument passed by name has no fixed position, so the third number may be any argument.
TEST_F(DlprofShapesTest, NoOutputWithoutAllArguments) {
  const DlprofShapes shapes = Of("conv2d", "[[8, 3, 32, 30], [16, 3, 5, 3], []]",
                                 R"(["float", "float", "Scalar"])", R"(["", "", "2"])");
  EXPECT_EQ(shapes.inputs, "<N:8, C:3, H:32, W:30>; <K:16, C:3, R:5, S:3>");
  EXPECT_EQ(shapes.outputs, "");
}

TEST_F(DlprofShapesTest, LinearLayersHaveLettersForMatricesOnly) {
  const DlprofShapes matrix =
      Of("linear", "[[4, 8], [2, 8], [2]]", R"(["float", "float", "float"])", R"(["", "", ""])");
  EXPECT_EQ(matrix.inputs, "<N:4, K:8>; <M:2, K:8>; <2>");
  EXPECT_EQ(matrix.outputs, "<N:4, M:2>");
  const DlprofShapes batch =
      Of("linear", "[[3, 4, 8], [2, 8], [2]]", R"(["float", "float", "float"])", R"(["", "", ""])");
  EXPECT_EQ(batch.inputs, "<3, 4, 8>; <2, 8>; <2>");
  EXPECT_EQ(batch.outputs, "");
}

TEST_F(DlprofShapesTest, OtherOpsHaveTheirTensorsOnly) {
  const DlprofShapes shapes = Of("max_pool2d", "[[32, 6, 30, 30], [], []]",
                                 R"(["float", "Scalar", "ScalarList"])", R"(["", "2", "[2, 2]"])");
  EXPECT_EQ(shapes.inputs, "<32, 6, 30, 30>");
  EXPECT_EQ(shapes.outputs, "");
}

}  // namespace
}  // namespace warpsight
