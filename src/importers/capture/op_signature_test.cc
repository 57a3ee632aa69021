#include "importers/capture/op_signature.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "importers/capture/test_capture.h"

namespace warpsight::importers::capture {
namespace {

// The expected texts were written by PyTorch 2.11's profiler.
TEST(OpSignature, MatchesPyTorchsProfiler) {
  TestInputs inputs;
  inputs.Tensor(6, {64, 10}, {10, 1})
      .Tensor(15, {}, {})
      .Kind(wire::InputKind::kUndefined)
      .Kind(wire::InputKind::kOther)
      .Integer(-100)
      .Real(1e-5)
      .Boolean(true)
      .IntegerList({10, 192})
      .BooleanList({true, false})
      .RealList({0.5, 2})
      .IntegerList({})
      .TensorList({48, 0});
  const auto texts = DecodeInputs(inputs.bytes());
  ASSERT_TRUE(texts);
  EXPECT_EQ(texts->dims, "[[64, 10], [], [], [], [], [], [], [], [], [], [], [[48], []]]");
  EXPECT_EQ(texts->strides, "[[10, 1], [], [], [], [], [], [], [], [], [], [], [[1], []]]");
  EXPECT_EQ(texts->types,
            R"(["float", "c10::BFloat16", "", "", "Scalar", "Scalar", "Scalar", "ScalarList", )"
            R"("ScalarList", "ScalarList", "ScalarList", "TensorList"])");
  EXPECT_EQ(texts->values,
            R"(["", "", "", "", "-100", "1.0000000000000001e-05", "True", "[10, 192]", )"
            R"("[True, False]", "[0.5, 2.]", "[]", ""])");
}

std::string Real(double value) {
  const auto texts = DecodeInputs(TestInputs().Real(value).bytes());
  return texts ? texts->values : "damaged";
}

TEST(OpSignature, PrintsRealsAsPyTorchDoes) {
  EXPECT_EQ(Real(0), R"(["0."])");
  EXPECT_EQ(Real(-0.0), R"(["-0."])");
  EXPECT_EQ(Real(1), R"(["1."])");
  EXPECT_EQ(Real(0.1), R"(["0.10000000000000001"])");
  EXPECT_EQ(Real(0.9), R"(["0.90000000000000002"])");
  EXPECT_EQ(Real(1e-8), R"(["1e-08"])");
  EXPECT_EQ(Real(1e10), R"(["10000000000"])");
  EXPECT_EQ(Real(std::numeric_limits<double>::infinity()), R"(["inf"])");
  EXPECT_EQ(Real(std::numeric_limits<double>::denorm_min()), R"(["4.9406564584124654e-324"])");
}

TEST(OpSignature, LongListsAreLeftOutAsPyTorchDoes) {
  const auto texts = DecodeInputs(TestInputs()
                                      .TensorList(std::vector<uint64_t>(31, 4))
                                      .IntegerList(std::vector<int64_t>(31, 1))
                                      .bytes());
  ASSERT_TRUE(texts);
  EXPECT_EQ(texts->dims, "[[], []]");
  EXPECT_EQ(texts->strides, "[[], []]");
  EXPECT_EQ(texts->types, R"(["TensorList", ""])");
  EXPECT_EQ(texts->values, R"(["", ""])");
}

TEST(OpSignature, UnknownTypesHaveNoName) {
  const auto texts = DecodeInputs(TestInputs().Tensor(200, {3}, {1}).bytes());
  ASSERT_TRUE(texts);
  EXPECT_EQ(texts->types, R"([""])");
  EXPECT_EQ(texts->dims, "[[3]]");
}

TEST(OpSignature, DetectsDamageAnywhere) {
  TestInputs inputs;
  inputs.Tensor(6, {64, 10}, {10, 1}).TensorList({7, 300}).RealList({1, 2}).IntegerList({1});
  EXPECT_FALSE(DecodeInputs(""));
  size_t whole = 0;
  for (size_t size = 1; size < inputs.bytes().size(); ++size) {
    whole += DecodeInputs(std::string_view(inputs.bytes()).substr(0, size)) ? 1 : 0;
  }
  EXPECT_EQ(whole, 3U);  // at the boundaries between inputs
  EXPECT_FALSE(DecodeInputs("\x63"));
  std::string many(1, '\x02');
  wire::AppendVarint(uint64_t{1} << 60, many);
  EXPECT_FALSE(DecodeInputs(many));
}

}  // namespace
}  // namespace warpsight::importers::capture
