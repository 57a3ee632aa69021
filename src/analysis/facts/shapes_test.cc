#include "analysis/facts/shapes.h"

#include <gtest/gtest.h>

#include <string>

namespace warpsight {
namespace {

using Integers = std::vector<int64_t>;

TEST(ShapesTest, ReadsPytorchsInputs) {
  const auto signature = ParseSignature("[[8, 1024, 768], [768,768], [], [], []]",
                                        R"(["c10::BFloat16", "float", "", "Scalar", "long int"])",
                                        "[[786432, 768, 1], [1, 768], [], [], []]",
                                        R"(["", "", "", "0.10000000000000001", ""])");
  ASSERT_TRUE(signature);
  ASSERT_EQ(signature->arguments.size(), 5U);
  const Tensor* first = signature->TensorAt(0);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->dims, (Integers{8, 1024, 768}));
  EXPECT_EQ(first->strides, (Integers{786432, 768, 1}));
  EXPECT_EQ(first->type, ElementType::kBf16);
  EXPECT_DOUBLE_EQ(first->Elements(), 8. * 1024 * 768);
  EXPECT_DOUBLE_EQ(first->Bytes(), 2. * 8 * 1024 * 768);
  EXPECT_EQ(first->Dim(-1), 768);
  EXPECT_EQ(first->Dim(5), 1);
  // No value, a scalar, and a tensor without dimensions.
  EXPECT_EQ(signature->TensorAt(2), nullptr);
  EXPECT_EQ(signature->TensorAt(3), nullptr);
  EXPECT_DOUBLE_EQ(*signature->At(3).Number(), 0.1);
  ASSERT_NE(signature->TensorAt(4), nullptr);
  EXPECT_DOUBLE_EQ(signature->TensorAt(4)->Bytes(), 8);
  // An index beyond the end.
  EXPECT_EQ(signature->TensorAt(99), nullptr);
  EXPECT_FALSE(signature->At(99).Number());
}

TEST(ShapesTest, ListsOfTensors) {
  const auto signature =
      ParseSignature("[[[3,4],[5]],[]]", R"(["TensorList","Scalar"])", "", R"(["","0"])");
  ASSERT_TRUE(signature);
  const auto* list = signature->ListAt(0);
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->size(), 2U);
  EXPECT_EQ((*list)[0].dims, (Integers{3, 4}));
  EXPECT_EQ((*list)[1].dims, (Integers{5}));
  EXPECT_EQ(signature->ListAt(1), nullptr);
  // A list that the profiler omitted for its length.
  const auto left_out = ParseSignature("[[],[]]", R"(["TensorList","Scalar"])", "", "");
  EXPECT_TRUE(left_out->At(0).is_list);
  EXPECT_EQ(left_out->ListAt(0), nullptr);
}

TEST(ShapesTest, RepeatedElementsAreStoredOnce) {
  const auto signature = ParseSignature("[[8,128,768]]", R"(["float"])", "[[0,768,1]]", "");
  EXPECT_DOUBLE_EQ(signature->TensorAt(0)->Elements(), 8. * 128 * 768);
  EXPECT_DOUBLE_EQ(signature->TensorAt(0)->Bytes(), 4. * 128 * 768);
}

TEST(ShapesTest, Values) {
  Argument argument;
  argument.value = "[2, 2]";
  EXPECT_EQ(*argument.Integers(), (Integers{2, 2}));
  argument.value = "7";
  EXPECT_EQ(*argument.Integers(), (Integers{7}));
  EXPECT_DOUBLE_EQ(*argument.Number(), 7);
  argument.value = "[]";
  EXPECT_TRUE(argument.Integers()->empty());
  for (const char* bad : {"", "[1,", "[1.5]", "[a]", "same", "[[1]]", "1 2"}) {
    argument.value = bad;
    EXPECT_FALSE(argument.Integers()) << bad;
  }
  argument.value = "True";
  EXPECT_TRUE(*argument.Bool());
  argument.value = "False";
  EXPECT_FALSE(*argument.Bool());
  argument.value = "";
  EXPECT_FALSE(argument.Bool());
}

TEST(ShapesTest, DamagedTextsGiveNothing) {
  for (const char* bad : {"", "[", "]", "[[", "[[1,2]", "[[1,2],]", "[1,2]", "[[-1]]", "[[1.5]]",
                          "[[\"a\"]]", "{}", "null", "[[1] [2]]", "[[99999999999999999999]]",
                          "[[[[[[1]]]]]]", "[[1]] x", "[\"", "[\"\\", "[[1],[[2],3]]"}) {
    EXPECT_FALSE(ParseSignature(bad, "", "", "")) << bad;
  }
  // Deep nesting must not exhaust the stack.
  EXPECT_FALSE(ParseSignature(std::string(1000000, '['), "", "", ""));
}

TEST(ShapesTest, OtherDamagedTextsCountAsNotRecorded) {
  const auto signature = ParseSignature("[[2,3]]", "[\"float\"", "[[3]]", "[\"");
  ASSERT_TRUE(signature);
  ASSERT_NE(signature->TensorAt(0), nullptr);
  EXPECT_EQ(signature->TensorAt(0)->type, ElementType::kUnknown);
  EXPECT_TRUE(signature->TensorAt(0)->strides.empty());
  EXPECT_LT(signature->TensorAt(0)->Bytes(), 0);
}

// Every prefix of a real text, and the text with each byte replaced.
TEST(ShapesTest, MutationsNeverCrash) {
  const std::string dims = "[[8, 1024, 768], [[3, 4], [5]], [], [768]]";
  const std::string types = R"(["c10::BFloat16", "TensorList", "Scalar", "float"])";
  for (size_t cut = 0; cut <= dims.size(); ++cut) {
    ParseSignature(dims.substr(0, cut), types.substr(0, cut), dims.substr(0, cut),
                   types.substr(0, cut));
  }
  for (size_t at = 0; at < dims.size(); ++at) {
    for (const char c : {'[', ']', ',', '"', '\\', '-', '\0', '9', ' '}) {
      std::string changed = dims;
      changed[at] = c;
      const auto signature = ParseSignature(changed, types, changed, changed);
      if (!signature) continue;
      for (const Argument& argument : signature->arguments) {
        argument.tensor.Bytes();
        argument.Integers();
      }
    }
  }
}

TEST(ShapesTest, Types) {
  EXPECT_EQ(ElementTypeOf("c10::Float8_e4m3fn"), ElementType::kFp8);
  EXPECT_EQ(ElementTypeOf("Scalar"), ElementType::kUnknown);
  EXPECT_EQ(ElementTypeOf("Double"), ElementType::kUnknown);
  EXPECT_EQ(ElementTypeOfNumber(15), ElementType::kBf16);
  EXPECT_EQ(ElementTypeOfNumber(-3), ElementType::kUnknown);
}

TEST(ReadableTypes, NamesTypesOnce) {
  EXPECT_EQ(ReadableTypes(R"(["c10::BFloat16", "float", "c10::BFloat16", "Scalar", ""])"),
            "bfloat16, float32");
  EXPECT_EQ(ReadableTypes(R"(["c10::Float8_e4m3fn", "long int"])"), "float8_e4m3fn, int64");
  EXPECT_EQ(ReadableTypes(R"([["float", "int"], "unsigned short"])"), "float32, int32, uint16");
  EXPECT_EQ(ReadableTypes(""), "");
  EXPECT_EQ(ReadableTypes(R"(["float)"), "");
}

}  // namespace
}  // namespace warpsight
