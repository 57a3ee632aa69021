#include "model/op_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsight {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

constexpr SignatureId kFirst{0};

// The inputs of one call.
OpInputs Read(std::string_view dims, std::string_view types = "", std::string_view strides = "",
              std::string_view values = "") {
  return OpInputs(std::array{RecordedInputs{dims, types, strides, values}});
}

TEST(OpInputs, ReadsWhatPytorchRecords) {
  const OpInputs inputs = Read("[[8, 1024, 768], [768,768], [], [], []]",
                               R"(["c10::BFloat16", "float", "", "Scalar", "long int"])",
                               "[[786432, 768, 1], [1, 768], [], [], []]",
                               R"(["", "", "", "0.10000000000000001", ""])");
  const Signature* signature = inputs.Of(kFirst);
  ASSERT_NE(signature, nullptr);
  ASSERT_EQ(signature->arguments.size(), 5U);
  const Tensor* first = signature->TensorAt(0);
  ASSERT_NE(first, nullptr);
  EXPECT_THAT(first->dims(), ElementsAre(8, 1024, 768));
  EXPECT_THAT(first->strides(), ElementsAre(786432, 768, 1));
  EXPECT_EQ(first->type, ElementType::kBf16);
  EXPECT_DOUBLE_EQ(first->Elements(), 8. * 1024 * 768);
  EXPECT_DOUBLE_EQ(first->Bytes(), 2. * 8 * 1024 * 768);
  EXPECT_EQ(first->Dim(-1), 768);
  EXPECT_EQ(first->Dim(5), 1);
  EXPECT_THAT(signature->TensorAt(1)->dims(), ElementsAre(768, 768));
  EXPECT_THAT(signature->TensorAt(1)->strides(), ElementsAre(1, 768));
  // Nothing, a scalar, and a tensor without dimensions.
  EXPECT_EQ(signature->TensorAt(2), nullptr);
  EXPECT_EQ(signature->TensorAt(3), nullptr);
  EXPECT_EQ(signature->arguments[3].type, InputType::kScalar);
  EXPECT_DOUBLE_EQ(*signature->ValueAt(3).Number(), 0.1);
  ASSERT_NE(signature->TensorAt(4), nullptr);
  EXPECT_DOUBLE_EQ(signature->TensorAt(4)->Bytes(), 8);
  // Beyond the end.
  EXPECT_EQ(signature->TensorAt(99), nullptr);
  EXPECT_FALSE(signature->ValueAt(99).Number());
}

TEST(OpInputs, ListsOfTensors) {
  const OpInputs inputs =
      Read("[[[3,4],[5]],[]]", R"(["TensorList","Scalar"])", "[[[4,1],[1,1]]]", R"(["","0"])");
  const std::span<const Tensor> list = inputs.Of(kFirst)->ListAt(0);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_THAT(list[0].dims(), ElementsAre(3, 4));
  EXPECT_THAT(list[0].strides(), ElementsAre(4, 1));
  EXPECT_THAT(list[1].dims(), ElementsAre(5));
  EXPECT_THAT(list[1].strides(), IsEmpty()) << "as many as dimensions or none";
  EXPECT_EQ(inputs.Of(kFirst)->TensorAt(0), nullptr);
  EXPECT_THAT(inputs.Of(kFirst)->ListAt(1), IsEmpty());
  // A list that was left out for its length.
  const OpInputs left_out = Read("[[],[]]", R"(["TensorList","Scalar"])");
  EXPECT_TRUE(left_out.Of(kFirst)->arguments[0].is_list());
  EXPECT_FALSE(left_out.Of(kFirst)->arguments[1].is_list());
  EXPECT_THAT(left_out.Of(kFirst)->ListAt(0), IsEmpty());
}

TEST(OpInputs, RepeatedElementsLieInMemoryOnce) {
  const OpInputs inputs = Read("[[8,128,768]]", R"(["float"])", "[[0,768,1]]");
  EXPECT_DOUBLE_EQ(inputs.Of(kFirst)->TensorAt(0)->Elements(), 8. * 128 * 768);
  EXPECT_DOUBLE_EQ(inputs.Of(kFirst)->TensorAt(0)->Bytes(), 4. * 128 * 768);
}

// The rows of a trace are read in blocks; what one holds is not mixed with what others do.
TEST(OpInputs, ManyRows) {
  constexpr size_t kRows = 5000;
  std::vector<std::string> texts;
  texts.reserve(2 * kRows);
  std::vector<RecordedInputs> rows;
  rows.reserve(kRows);
  for (size_t i = 0; i < kRows; ++i) {
    const bool readable = i % 7 != 0;
    texts.push_back(readable
                        ? "[[[1], [2, " + std::to_string(i) + "]], [" + std::to_string(i) + "], []]"
                        : "[[1, 2], [3], [x]]");
    texts.push_back(R"(["", "", "[3, )" + std::to_string(i) + R"(]"])");
    rows.push_back({texts[texts.size() - 2], R"(["TensorList", "int", "ScalarList"])",
                    "[[], [1], []]", texts.back()});
  }
  OpInputs read{std::span<const RecordedInputs>(rows)};
  const OpInputs inputs = std::move(read);  // what was read stays where it is
  for (size_t i = 0; i < kRows; ++i) {
    const auto number = static_cast<int64_t>(i);
    const Signature* signature = inputs.Of(MakeId<SignatureId>(i));
    ASSERT_EQ(signature != nullptr, i % 7 != 0) << i;
    EXPECT_EQ(inputs.ReadableTypes(MakeId<SignatureId>(i)), "int32");
    if (signature == nullptr) continue;
    ASSERT_EQ(signature->ListAt(0).size(), 2U);
    EXPECT_THAT(signature->ListAt(0)[1].dims(), ElementsAre(2, number));
    EXPECT_THAT(signature->TensorAt(1)->dims(), ElementsAre(number));
    EXPECT_THAT(signature->TensorAt(1)->strides(), ElementsAre(1));
    EXPECT_THAT(signature->ValueAt(2).Integers(), Optional(ElementsAre(3, number)));
  }
  EXPECT_EQ(inputs.Of(kNone<SignatureId>), nullptr);
}

class InputValueTest : public ::testing::Test {
 protected:
  const InputValue& ValueOf(const std::string& text) {
    texts_ = "[\"" + text + "\"]";
    inputs_ = Read("[[]]", "", "", texts_);
    return inputs_.Of(kFirst)->ValueAt(0);
  }

  std::string texts_;
  OpInputs inputs_;
};

TEST_F(InputValueTest, Numbers) {
  EXPECT_THAT(ValueOf("7").Integer(), Optional(7));
  EXPECT_THAT(ValueOf("7").Number(), Optional(7.0));
  EXPECT_THAT(ValueOf("-100").Integer(), Optional(-100));
  EXPECT_THAT(ValueOf("1.").Number(), Optional(1.0));
  EXPECT_FALSE(ValueOf("1.").Integer());
  EXPECT_THAT(ValueOf("1e-08").Number(), Optional(1e-8));
  EXPECT_THAT(ValueOf("99999999999999999999").Number(), Optional(1e20));
  for (const char* text : {"", "inf", "nan", "1 2", "0x1", "same", "True", "[7]"}) {
    EXPECT_FALSE(ValueOf(text).Number()) << text;
    EXPECT_FALSE(ValueOf(text).Integer()) << text;
  }
}

TEST_F(InputValueTest, Booleans) {
  for (const char* text : {"True", "true", "1"}) {
    EXPECT_THAT(ValueOf(text).Boolean(), Optional(true)) << text;
  }
  for (const char* text : {"False", "false", "0"}) {
    EXPECT_THAT(ValueOf(text).Boolean(), Optional(false)) << text;
  }
  for (const char* text : {"", "2", "-1", "1.", "yes", "[True]"}) {
    EXPECT_FALSE(ValueOf(text).Boolean()) << text;
  }
}

TEST_F(InputValueTest, Lists) {
  EXPECT_THAT(ValueOf("[2, 3]").Integers(), Optional(ElementsAre(2, 3)));
  EXPECT_THAT(ValueOf("7").Integers(), Optional(ElementsAre(7)));
  EXPECT_THAT(ValueOf("[]").Integers(), Optional(IsEmpty()));
  EXPECT_THAT(ValueOf("[]").Booleans(), Optional(IsEmpty()));
  EXPECT_THAT(ValueOf("[True, False]").Booleans(), Optional(ElementsAre(true, false)));
  EXPECT_FALSE(ValueOf("[True, False]").Integers());
  EXPECT_FALSE(ValueOf("[2, 3]").Booleans());
  for (const char* text : {"", "[1,", "[1.5]", "[a]", "same", "[[1]]", "1 2", "[1, True]"}) {
    EXPECT_FALSE(ValueOf(text).Integers()) << text;
    EXPECT_FALSE(ValueOf(text).Booleans()) << text;
    EXPECT_EQ(ValueOf(text).Text(), text);
  }
  EXPECT_EQ(ValueOf("[2, 3]").Text(), "");
}

TEST(OpInputs, DamagedTextsGiveNothing) {
  for (const char* bad : {"", "[", "]", "[[", "[[1,2]", "[[1,2],]", "[1,2]", "[[-1]]", "[[1.5]]",
                          "[[\"a\"]]", "{}", "null", "[[1] [2]]", "[[99999999999999999999]]",
                          "[[[[[[1]]]]]]", "[[1]] x", "[\"", "[\"\\", "[[1],[[2],3]]"}) {
    EXPECT_EQ(Read(bad).Of(kFirst), nullptr) << bad;
  }
  // Deep nesting must not run the stack out.
  EXPECT_EQ(Read(std::string(1000000, '[')).Of(kFirst), nullptr);
}

TEST(OpInputs, DamageElsewhereIsAsIfNotRecorded) {
  const OpInputs inputs = Read("[[2,3]]", "[\"float\"", "[[3]]", "[\"");
  const Tensor* tensor = inputs.Of(kFirst)->TensorAt(0);
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(tensor->type, ElementType::kUnknown);
  EXPECT_THAT(tensor->strides(), IsEmpty());
  EXPECT_LT(tensor->Bytes(), 0);
}

// Every prefix of a real text, and every byte of it replaced.
TEST(OpInputs, MutationsNeverCrash) {
  const std::string dims = "[[8, 1024, 768], [[3, 4], [5]], [], [768]]";
  const std::string types = R"(["c10::BFloat16", "TensorList", "Scalar", "float"])";
  const auto use = [](const OpInputs& inputs) {
    const Signature* signature = inputs.Of(kFirst);
    if (signature == nullptr) return;
    for (size_t i = 0; i < signature->arguments.size(); ++i) {
      for (const Tensor& tensor : signature->arguments[i].list()) tensor.Bytes();
      if (const Tensor* tensor = signature->TensorAt(i)) tensor->Bytes();
      signature->ValueAt(i).Integers();
    }
  };
  for (size_t cut = 0; cut <= dims.size(); ++cut) {
    const std::string begin = dims.substr(0, cut);
    use(Read(begin, types.substr(0, cut), begin, types.substr(0, cut)));
  }
  for (size_t at = 0; at < dims.size(); ++at) {
    for (const char c : {'[', ']', ',', '"', '\\', '-', '\0', '9', ' '}) {
      std::string changed = dims;
      changed[at] = c;
      use(Read(changed, types, changed, changed));
    }
  }
}

TEST(ElementTypes, FromNamesAndNumbers) {
  EXPECT_EQ(ElementTypeOf("c10::Float8_e4m3fn"), ElementType::kFp8);
  EXPECT_EQ(ElementTypeOf("c10::Float8_of_the_future"), ElementType::kFp8);
  EXPECT_EQ(ElementTypeOf("Scalar"), ElementType::kUnknown);
  EXPECT_EQ(ElementTypeOf("Double"), ElementType::kUnknown);
  EXPECT_EQ(ElementTypeOfNumber(15), ElementType::kBf16);
  EXPECT_EQ(ElementTypeOfNumber(-3), ElementType::kUnknown);
}

TEST(ElementTypes, EveryRecordedNameIsReadAsItsType) {
  for (int i = 0; i <= static_cast<int>(InputType::kComplex128); ++i) {
    const auto type = static_cast<InputType>(i);
    if (type == InputType::kOther) continue;
    EXPECT_EQ(InputTypeOf(RecordedName(type)), type) << i;
  }
  EXPECT_EQ(InputTypeOf("long"), InputType::kInt64);
  EXPECT_EQ(InputTypeOf("c10::qint8"), InputType::kOther);
}

TEST(OpInputs, ReadableTypesNameEachOnce) {
  const auto types = [](std::string_view text) { return Read("", text).ReadableTypes(kFirst); };
  EXPECT_EQ(types(R"(["c10::BFloat16", "float", "c10::BFloat16", "Scalar", ""])"),
            "bfloat16, float32");
  EXPECT_EQ(types(R"(["c10::Float8_e4m3fn", "long int"])"), "float8_e4m3fn, int64");
  EXPECT_EQ(types(R"([["float", "int"], "unsigned short"])"), "float32, int32, uint16");
  EXPECT_EQ(types(""), "");
  EXPECT_EQ(types(R"(["float)"), "");
  EXPECT_EQ(Read("").ReadableTypes(kNone<SignatureId>), "");
}

}  // namespace
}  // namespace warpsight
