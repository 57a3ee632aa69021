#include "importers/api/tsl_text.h"

#include <gtest/gtest.h>

namespace warpsight::xla {
namespace {

TEST(TslTextTest, NamesRangesWithoutTheirMetadata) {
  EXPECT_EQ(TslText::Parse("train#step_num=12,x=1#")->Name(), "train#12");
  EXPECT_EQ(TslText::Parse("jit_f#hlo_module=f#")->Name(), "jit_f");
  EXPECT_EQ(TslText::Parse("XlaModule:#hlo_module=jit_f,program_id=7#")->Name(), "XlaModule");
  EXPECT_EQ(TslText::Parse("x#step_num=#")->Name(), "x");
}

TEST(TslTextTest, RejectsOtherTexts) {
  for (const char* text : {"C#", "#", "##", "a#b#", "train", "", "#=", "aten::add"}) {
    EXPECT_FALSE(TslText::Parse(text)) << text;
  }
}

TEST(TslTextTest, ValuesMayContainCommas) {
  const auto text = TslText::Parse("Thunk:#name=dot[dims=(0,1),a],hlo_op=fusion.3,unique_id=4#");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->title(), "Thunk");
  EXPECT_EQ(text->Value("hlo_op"), "fusion.3");
  EXPECT_EQ(text->Value("unique_id"), "4");
  EXPECT_EQ(text->Value("op"), "");
  EXPECT_EQ(text->Value("name"), "dot[dims=(0,1),a]");
}

}  // namespace
}  // namespace warpsight::xla
