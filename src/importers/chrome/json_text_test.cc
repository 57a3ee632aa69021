#include "importers/chrome/json_text.h"

#include <tuple>
#include <utility>

#include <gtest/gtest.h>

namespace warpsight::importers::chrome {
namespace {

constexpr size_t kNone = std::string_view::npos;

TEST(Unescape, ResolvesEveryEscape) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"plain", "plain"},
      {"", ""},
      {R"(a\"b\\c\/d)", "a\"b\\c/d"},
      {R"(\b\f\n\r\t)", "\b\f\n\r\t"},
      {R"(\u0041\u00e9\u20AC)", "A\xC3\xA9\xE2\x82\xAC"},
      {R"(\ud83d\ude00!)", "\xF0\x9F\x98\x80!"},
      {R"(\uD83D)", R"(\uD83D)"},              // half a pair
      {R"(\ude00\ud83d)", R"(\ude00\ud83d)"},  // in the wrong order
      {R"(\ud83dA)", R"(\ud83dA)"},
      {R"(\ud83d\u0041)", R"(\ud83dA)"},
      {R"(\u12)", R"(\u12)"},
      {R"(\uzzzz)", R"(\uzzzz)"},
      {R"(\x)", R"(\x)"},
      {"end\\", "end\\"},
  };
  for (const auto& [escaped, text] : cases) {
    std::string buffer;
    EXPECT_EQ(Unescape(escaped, buffer), text) << escaped;
  }
  std::string buffer;
  EXPECT_EQ(Unescape(R"(\u0000)", buffer), std::string_view("\0", 1));
}

TEST(FindValueEnd, FollowsStringsAndBrackets) {
  const std::tuple<std::string_view, size_t, size_t> cases[] = {
      {R"({"a": 1}, 2)", 0, 8},
      {R"([1, [2, {"b": "]"}]] )", 0, 20},
      {R"("te\"xt", 1)", 0, 8},
      {R"("\\", 1)", 0, 4},
      {"12, 3", 0, 2},
      {"12}", 0, 2},
      {"12]", 0, 2},
      {"12", 0, kNone},
      {"{\"a\": 1", 0, kNone},
      {"\"open", 0, kNone},
      {"\"open\\", 0, kNone},
      {"\"open\\\"", 0, kNone},
      {"", 0, kNone},
      {"{\"a\": \"li\nne\"}", 0, kBrokenString},
      {"{\n\"a\":\n1\n}", 0, 10},
  };
  for (const auto& [text, pos, end] : cases) EXPECT_EQ(FindValueEnd(text, pos), end) << text;
}

TEST(FindValueEnd, AcceptsDeepNesting) {
  const std::string open(1'000'000, '[');
  EXPECT_EQ(FindValueEnd(open, 0), kNone);
  EXPECT_EQ(FindValueEnd(open + std::string(1'000'000, ']'), 0), 2'000'000u);
}

TEST(FindRecordStart, RequiresAPrecedingRecord) {
  EXPECT_EQ(FindRecordStart(R"({"ph":"X"}, {"ph":"X"})", 0), 12u);
  EXPECT_EQ(FindRecordStart(R"({"ph":"X"} ,{ "ts": 1})", 0), 12u);
  EXPECT_EQ(FindRecordStart(R"({"ph":"X","args":{"name":1}})", 0), kNone);
  EXPECT_EQ(FindRecordStart(R"({"ph":"X"},{"other":1})", 0), kNone);
  EXPECT_EQ(FindRecordStart(R"({"ph":"X"}, {"ph":"X"})", 13), kNone);
}

TEST(FindLastRecordStart, ReturnsTheComma) {
  size_t comma = 0;
  EXPECT_EQ(FindLastRecordStart(R"({"ph":1}, {"ph":2} , {"ph":3,"args":{"name":1)", &comma), 21u);
  EXPECT_EQ(comma, 19u);
  EXPECT_EQ(FindLastRecordStart(R"({"ph":1})", &comma), kNone);
  EXPECT_EQ(FindLastRecordStart("", &comma), kNone);
}

TEST(RepairRecord, ReturnsValidJson) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"({"a":1})", R"({"a":1})"},
      {R"({"a":1, })", R"({"a":1 })"},
      {R"({"a":[1,2 , ],})", R"({"a":[1,2  ]})"},
      {R"({a:1, b_2 : true})", R"({"a":1, "b_2" : true})"},
      {R"({"a":", }", b:"x:y"})", R"({"a":", }", "b":"x:y"})"},
      {R"({"a":"\", }"})", R"({"a":"\", }"})"},
      {"{\"a\":\"tab\there\"}", R"({"a":"tab here"})"},
      {"{\"a\":\"\xff\xc3\xa9\xc3\"}", "{\"a\":\"\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD\"}"},
      {"{\"a\":\"\xed\xa0\x80\xf4\x90\x80\x80\xc0\x80\"}",
       "{\"a\":\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
       "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"}"},
  };
  for (const auto& [record, repaired] : cases) EXPECT_EQ(RepairRecord(record), repaired) << record;
}

TEST(ShownCharacter, IsPrintable) {
  EXPECT_EQ(ShownCharacter('x'), "'x'");
  EXPECT_EQ(ShownCharacter('\xff'), "byte 0xff");
  EXPECT_EQ(ShownCharacter('\0'), "byte 0x00");
}

}  // namespace
}  // namespace warpsight::importers::chrome
