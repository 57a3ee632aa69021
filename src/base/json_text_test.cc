#include "base/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace warpsight {
namespace {

TEST(JsonString, EscapesRequiredCharacters) {
  EXPECT_EQ(JsonString(""), R"("")");
  EXPECT_EQ(JsonString("aten::mm"), R"("aten::mm")");
  EXPECT_EQ(JsonString("a\"b\\c/d\n\t\r\x01"), R"("a\"b\\c/d\n\t\u000d\u0001")");
}

TEST(JsonString, EscapesInvisibleCharacters) {
  EXPECT_EQ(JsonString("a\x7F\xE2\x80\xAE"
                       "b\xF3\xA0\x80\x81"),
            R"("a\u007f\u202eb\udb40\udc01")");
  EXPECT_EQ(JsonString("\xC3\xA9 \xE6\x97\xA5 \xF0\x9F\x98\x80"),
            "\"\xC3\xA9 \xE6\x97\xA5 \xF0\x9F\x98\x80\"");
}

TEST(JsonString, ReplacesInvalidUtf8) {
  EXPECT_EQ(JsonString("a\xFF\xE2\x80"), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(JsonString, IsAppended) {
  std::string out = "[";
  AppendJsonString("a", out);
  AppendJsonString("\"", out);
  EXPECT_EQ(out, R"(["a""\"")");
}

}  // namespace
}  // namespace warpsight
