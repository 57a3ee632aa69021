#include "mcp/tools/quoted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/utf8.h"

namespace warpsight::mcp {
namespace {

size_t Characters(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) TakeCharacter(text);
  return count;
}

TEST(ShortName, KeepsShortNames) {
  EXPECT_EQ(ShortName("void gemm<float>(int)"), "void gemm<float>(int)");
  EXPECT_EQ(ShortName(""), "");
  const std::string longest(kLongestName, 'x');
  EXPECT_EQ(ShortName(longest), longest);
}

TEST(ShortName, CutsLongOnes) {
  const std::string name = ShortName(std::string(kLongestName + 1, 'x'));
  EXPECT_EQ(name, std::string(kLongestName - 1, 'x') + "…");
  EXPECT_EQ(Characters(ShortName(std::string(8'000'000, 'x'))), kLongestName);
}

TEST(ShortName, CountsCharactersThatTakeNoRoom) {
  std::string marks = "e";
  for (int i = 0; i < 1000; ++i) marks += "\xCC\x81";  // combining acute accent
  EXPECT_EQ(Characters(ShortName(marks)), kLongestName);
}

TEST(ShortName, EscapesWhatIsNotVisible) {
  EXPECT_EQ(ShortName("a\nb\x1b[2J\xE2\x80\xAE"), "a\\nb\\x1b[2J\\u202e");
  EXPECT_EQ(ShortName("\xFF"), "\\xff");
  EXPECT_TRUE(IsUtf8(ShortName(std::string(1000, '\xFF'))));
  EXPECT_EQ(Characters(ShortName(std::string(1000, '\x01'))), kLongestName);
}

TEST(ShortName, CutsBetweenCharacters) {
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "字";
  EXPECT_TRUE(IsUtf8(ShortName(wide)));
  EXPECT_EQ(Characters(ShortName(wide)), kLongestName);
}

TEST(Quoted, CannotEndItsQuotationMarks) { EXPECT_EQ(Quoted("a\" b\\"), R"("a\" b\\")"); }

TEST(ShortSentence, IsLongerAndOnOneLine) {
  EXPECT_EQ(ShortSentence("one\n  two\r"), "one\\n  two\\r");
  EXPECT_EQ(Characters(ShortSentence(std::string(5000, 'x'))), kLongestSentence);
}

}  // namespace
}  // namespace warpsight::mcp
