#include "server/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpsight::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Message, DecodesPercents) {
  EXPECT_EQ(PercentDecode("a%20b"), "a b");
  EXPECT_EQ(PercentDecode("%41%6a%6A"), "Ajj");
  EXPECT_EQ(PercentDecode("%e2%82%ac"), "€");
  EXPECT_EQ(PercentDecode("a+b"), "a+b") << "a plus is a plus in a path";
  EXPECT_EQ(PercentDecode("%00"), std::string(1, '\0'));
}

TEST(Message, KeepsInvalidEncodings) {
  for (const char* text : {"%", "%4", "%zz", "100%", "%%", "a%4", ""}) {
    EXPECT_EQ(PercentDecode(text), text);
  }
  EXPECT_EQ(PercentDecode("%%41"), "%A");
  EXPECT_EQ(PercentDecode("%2541"), "%41") << "decoded once, not twice";
}

TEST(Message, SplitsBeforeDecoding) {
  EXPECT_THAT(SplitPath("/api/profiles/a%2Fb"), ElementsAre("api", "profiles", "a/b"));
  EXPECT_THAT(SplitPath("//api///x/"), ElementsAre("api", "x"));
  EXPECT_THAT(SplitPath("/"), IsEmpty());
  EXPECT_THAT(SplitPath(""), IsEmpty());
  EXPECT_THAT(SplitPath("/../%2e%2e/x"), ElementsAre("..", "..", "x"))
      << "names like others: nothing goes up";
}

TEST(Message, ReadsParameters) {
  Request request;
  AddParams("a=1&b=x+y%26z&&=q&flag&c==&a=2", request.params);
  EXPECT_EQ(request.Param("a"), "1");
  EXPECT_EQ(request.Param("b"), "x y&z");
  EXPECT_EQ(request.Param("c"), "=");
  EXPECT_EQ(request.Param(""), "q");
  EXPECT_TRUE(request.params.contains("flag"));
  EXPECT_EQ(request.params.size(), 6u);
}

TEST(Message, FirstValueOfAParameter) {
  Request request;
  request.params = {{"a", "1"}, {"a", "2"}, {"b", ""}};
  EXPECT_EQ(request.Param("a"), "1");
  EXPECT_EQ(request.Param("b"), "");
  EXPECT_EQ(request.Param("c"), "");
}

TEST(Message, FailuresAreJsonAndNotCached) {
  const Response response = Failure(404, "unknown-report", "there is no \"x\"\n");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.keep, Keep::kNever);
  EXPECT_EQ(*response.body, R"({"code": "unknown-report", "message": "there is no \"x\"\n"})"
                            "\n");
  EXPECT_EQ(response.retry_after_seconds, 0);
  EXPECT_GT(Failure(503, "busy", "").retry_after_seconds, 0);
}

}  // namespace
}  // namespace warpsight::server
