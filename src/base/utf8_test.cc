#include "base/utf8.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace warpsight {
namespace {

TEST(Utf8, EveryCharacterIsReadAsItWasWritten) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string text;
    AppendUtf8(c, text);
    ASSERT_EQ(Utf8Length(text), text.size()) << static_cast<uint32_t>(c);
    ASSERT_TRUE(IsUtf8(text)) << static_cast<uint32_t>(c);
    std::string_view rest = text;
    ASSERT_EQ(TakeCharacter(rest), c);
    ASSERT_TRUE(rest.empty());
  }
}

TEST(Utf8, InvalidBytesAreReplacedOneByOne) {
  const std::string mark(kUtf8Replacement);
  EXPECT_EQ(RepairUtf8("a\xFF\xC3"), "a" + mark + mark);
  EXPECT_EQ(RepairUtf8("\xED\xA0\x80"), mark + mark + mark);  // a surrogate
  EXPECT_EQ(RepairUtf8("\xC0\xAF"), mark + mark);             // overlong
  EXPECT_EQ(RepairUtf8("\xF4\x90\x80\x80!"), mark + mark + mark + mark + "!");
  for (const char* bad : {"12345678\xFF", "\x80", "\xE2\x82", "\xF0\x9F\x9A", "\x9B[31m"}) {
    EXPECT_FALSE(IsUtf8(bad)) << bad;
    EXPECT_TRUE(IsUtf8(RepairUtf8(bad)));
  }
  std::string surrogate;
  AppendUtf8(0xD800, surrogate);
  AppendUtf8(0x110000, surrogate);
  EXPECT_EQ(surrogate, mark + mark);
}

TEST(Utf8, ValidTextIsNotCopied) {
  std::string buffer;
  const std::string_view good = "naïve 漢字 🚀";
  EXPECT_EQ(ValidUtf8(good, buffer).data(), good.data());
  EXPECT_EQ(ValidUtf8("\xFF", buffer), kUtf8Replacement);
}

}  // namespace
}  // namespace warpsight
