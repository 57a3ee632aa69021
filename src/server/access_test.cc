#include "server/access.h"

#include <gtest/gtest.h>

#include <set>

namespace warpsight::server {
namespace {

TEST(Access, LoopbackNames) {
  for (const char* name : {"localhost", "LocalHost", "localhost.", "127.0.0.1", "127.1",
                           "127.9.8.7", "::1", "app.localhost"}) {
    EXPECT_TRUE(IsLoopback(name)) << name;
  }
}

TEST(Access, OtherNamesThatLookSimilar) {
  for (const char* name : {"", "0.0.0.0", "::", "128.0.0.1", "1127.0.0.1", "127.0.0.1.example.com",
                           "127.evil", "localhost.example.com", "notlocalhost", "xlocalhost", "::2",
                           "10.0.0.1", "example.com", "localhost ", "127.0.0.1\t"}) {
    EXPECT_FALSE(IsLoopback(name)) << name;
  }
}

TEST(Access, HostWithoutPort) {
  EXPECT_EQ(HostName("localhost:8000"), "localhost");
  EXPECT_EQ(HostName("localhost"), "localhost");
  EXPECT_EQ(HostName("127.0.0.1:80"), "127.0.0.1");
  EXPECT_EQ(HostName("[::1]:8000"), "::1");
  EXPECT_EQ(HostName("[::1]"), "::1");
  EXPECT_EQ(HostName("[::1"), "");
  EXPECT_EQ(HostName(""), "");
  EXPECT_EQ(HostName(":8000"), "");
}

TEST(Access, TokensAreLongAndNeverTheSame) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) tokens.insert(*MakeToken());
  EXPECT_EQ(tokens.size(), 100u);
  for (const std::string& token : tokens) {
    EXPECT_EQ(token.size(), 32u);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos) << token;
  }
}

TEST(Access, ChosenTokensMustBeLongAndPlain) {
  EXPECT_TRUE(CheckToken(*MakeToken()).ok());
  EXPECT_TRUE(CheckToken("abcdefghijklmnopqrstuvwxyz-_ABC123").ok());
  EXPECT_FALSE(CheckToken("").ok());
  EXPECT_FALSE(CheckToken("secret").ok());
  EXPECT_FALSE(CheckToken(std::string(31, 'a')).ok());
  EXPECT_FALSE(CheckToken(std::string(257, 'a')).ok());
  EXPECT_FALSE(CheckToken(std::string(40, 'a') + "&x=y").ok());
  EXPECT_FALSE(CheckToken(std::string(40, 'a') + "\r\nX: y").ok());
}

TEST(Access, ComparesWholeTokens) {
  EXPECT_TRUE(SameToken("abc", "abc"));
  EXPECT_FALSE(SameToken("abc", "abd"));
  EXPECT_FALSE(SameToken("abc", "ab"));
  EXPECT_FALSE(SameToken("", "abc"));
  EXPECT_FALSE(SameToken("abcabc", "abc"));
}

TEST(Access, FindsACookie) {
  EXPECT_EQ(CookieValue("a=1; token=xyz; b=2", "token"), "xyz");
  EXPECT_EQ(CookieValue("token=xyz", "token"), "xyz");
  EXPECT_EQ(CookieValue("token=", "token"), "");
  EXPECT_EQ(CookieValue("mytoken=1; token2=2; token", "token"), "");
  EXPECT_EQ(CookieValue("a=1;token=x=y;", "token"), "x=y");
  EXPECT_EQ(CookieValue("", "token"), "");
  EXPECT_EQ(CookieValue(";;; ;", "token"), "");
}

}  // namespace
}  // namespace warpsight::server
