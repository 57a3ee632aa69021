#include "cli/suggestion.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

TEST(Suggestion, FindsTheNearestWord) {
  const std::vector<std::string> commands = {"profile", "import", "report", "advise", "info"};
  EXPECT_EQ(NearestWord("reprot", commands), "report");
  EXPECT_EQ(NearestWord("reports", commands), "report");
  EXPECT_EQ(NearestWord("improt", commands), "import");
  EXPECT_EQ(NearestWord("inf", commands), "info");
  EXPECT_EQ(NearestWord("prof", commands), "profile");
  EXPECT_EQ(NearestWord("frobnicate", commands), "");
  EXPECT_EQ(NearestWord("x", commands), "");
  EXPECT_EQ(NearestWord("", commands), "");
  EXPECT_EQ(NearestWord(std::string(100'000, 'r'), commands), "");
}

TEST(Suggestion, SaysIt) {
  EXPECT_EQ(DidYouMean("--prt", {"--port", "--bind"}), "; did you mean '--port'?");
  EXPECT_EQ(DidYouMean("--nosuch", {"--port", "--bind"}), "");
}

}  // namespace
}  // namespace warpsight
