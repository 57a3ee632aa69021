#include "base/printable.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace warpsight {
namespace {

TEST(Printable, EscapesTerminalControls) {
  EXPECT_EQ(Printable("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(Printable("a\tb\r\nc\x7F"), "a\\tb\\r\\nc\\x7f");
  EXPECT_EQ(Printable(std::string_view("\0\a", 2)), "\\x00\\x07");
  EXPECT_EQ(Printable("\xC2\x9B"
                      "31m"),
            "\\u009b31m");  // CSI as a single C1 character
  EXPECT_EQ(Printable("\x9B"
                      "31m"),
            "\\x9b31m");  // the same as a byte
  EXPECT_EQ(Printable("a\u202Eb\u2066c\u2028d\u200Be\uFEFF"),
            "a\\u202eb\\u2066c\\u2028d\\u200be\\ufeff");
  EXPECT_EQ(Printable("\U000E0041"), "\\U000e0041");
}

TEST(Printable, LeavesPrintableTextUnchanged) {
  for (const char* text : {"", "void gemm<float, 4>(int*)", "naïve 漢字 🚀 \xEF\xBF\xBD", "a\\b"}) {
    EXPECT_EQ(Printable(text), text);
  }
}

TEST(Printable, IsValidUtf8WithoutControlCharactersForAnyBytes) {
  uint32_t state = 1;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 40; ++i) {
      state = state * 1664525 + 1013904223;
      bytes += static_cast<char>(state >> 24);
    }
    for (const std::string& text : {Printable(bytes), PrintableLines(bytes)}) {
      ASSERT_TRUE(IsUtf8(text));
      for (std::string_view rest = text; !rest.empty();) {
        const char32_t c = TakeCharacter(rest);
        ASSERT_TRUE(c == '\n' || !IsInvisible(c)) << static_cast<uint32_t>(c);
      }
    }
    ASSERT_EQ(Printable(bytes).find('\n'), std::string::npos);
  }
}

TEST(Printable, LinesKeepNewlinesAndStyledTextColors) {
  EXPECT_EQ(PrintableLines("a\nb\x1b[1m\r"), "a\nb\\x1b[1m\\r");
  EXPECT_EQ(PrintableStyled("\x1b[1;31ma\x1b[0m\nb"), "\x1b[1;31ma\x1b[0m\nb");
  // Other sequences are escaped: clearing the screen, setting the window's title, requesting the
  // cursor position, and a truncated one.
  EXPECT_EQ(PrintableStyled("\x1b[2J\x1b]0;t\a\x1b[6n\x1b[1"),
            "\\x1b[2J\\x1b]0;t\\x07\\x1b[6n\\x1b[1");
}

}  // namespace
}  // namespace warpsight
