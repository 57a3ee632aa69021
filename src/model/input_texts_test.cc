#include "model/input_texts.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace warpsight {
namespace {

InputTexts Rewritten(const RecordedInputs& recorded) {
  const OpInputs inputs(std::array{recorded});
  return FormatInputs(*inputs.Of(SignatureId{0}));
}

// Texts of PyTorch's profiler come out as they went in.
TEST(InputTexts, AreWrittenAsPyTorchDoes) {
  const RecordedInputs recorded{
      "[[64, 10], [], [[48], [], [2, 3]], [], [], [], []]",
      R"(["float", "c10::Half", "TensorList", "Scalar", "ScalarList", "", "Scalar"])",
      "[[10, 1], [], [[1], [], [3, 1]], [], [], [], []]",
      R"(["", "", "", "0.90000000000000002", "[1, -1]", "same", "-0."])"};
  const InputTexts texts = Rewritten(recorded);
  EXPECT_EQ(texts.dims, recorded.dims);
  EXPECT_EQ(texts.types, recorded.types);
  EXPECT_EQ(texts.strides, recorded.strides);
  EXPECT_EQ(texts.values, recorded.values);
}

TEST(InputTexts, OtherSpellingsGetTheUsualOne) {
  const InputTexts texts =
      Rewritten({"[[2,3] ,[]]", R"(["long","Scalar","x"])", "[[3]]", R"(["",1.0])"});
  EXPECT_EQ(texts.dims, "[[2, 3], []]");
  EXPECT_EQ(texts.types, R"(["long int", "Scalar"])");
  EXPECT_EQ(texts.strides, "[[], []]");
  EXPECT_EQ(texts.values, R"(["", "1."])");
}

TEST(InputTexts, NoInputs) {
  const InputTexts texts = Rewritten({"[]", "", "", ""});
  EXPECT_EQ(texts.dims, "[]");
  EXPECT_EQ(texts.values, "[]");
}

}  // namespace
}  // namespace warpsight
