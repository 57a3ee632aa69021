#include "server/http_request_parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace warpsight::server {
namespace {

using State = HttpRequestParser::State;

// The state after appending all bytes at once.
State After(HttpRequestParser& parser, std::string_view bytes) { return parser.Append(bytes); }

int StatusOf(std::string_view bytes) {
  HttpRequestParser parser;
  return After(parser, bytes) == State::kMalformed ? parser.status() : 0;
}

TEST(HttpRequestParser, ReadsAHead) {
  HttpRequestParser parser;
  EXPECT_FALSE(parser.started());
  ASSERT_EQ(After(parser, "GET /a%20b?x=1?2 HTTP/1.1\r\nHost: me\r\nX-Two:\t b c \t\r\n\r\n"),
            State::kHead);
  const HttpHead& head = parser.head();
  EXPECT_EQ(head.method, "GET");
  EXPECT_EQ(head.Path(), "/a%20b");
  EXPECT_EQ(head.Query(), "x=1?2");
  EXPECT_EQ(head.Header("host"), "me");
  EXPECT_EQ(head.Header("x-two"), "b c");
  EXPECT_TRUE(head.Has("x-two"));
  EXPECT_FALSE(head.Has("x-three"));
  EXPECT_TRUE(head.keep_alive);
  EXPECT_FALSE(head.HasBody());
  EXPECT_EQ(parser.ReadBody(), State::kComplete);
  EXPECT_EQ(parser.Next(), State::kReadingHead);
  EXPECT_FALSE(parser.started());
}

TEST(HttpRequestParser, BytesMayArriveInAnyPieces) {
  const std::string bytes =
      "\r\nPOST /sql HTTP/1.1\r\nContent-Length: 8\r\n\r\nSELECT 1"
      "GET /next HTTP/1.0\r\n\r\n";
  for (size_t size = 1; size <= bytes.size(); ++size) {
    HttpRequestParser parser;
    std::vector<std::string> targets, bodies;
    for (size_t at = 0; at < bytes.size(); at += size) {
      parser.Append(std::string_view(bytes).substr(at, size));
      while (parser.state() == State::kHead || parser.state() == State::kComplete) {
        if (parser.state() == State::kHead) {
          parser.ReadBody();
          continue;
        }
        targets.push_back(parser.head().target);
        bodies.push_back(parser.TakeBody());
        parser.Next();
      }
    }
    EXPECT_EQ(targets, (std::vector<std::string>{"/sql", "/next"})) << size;
    EXPECT_EQ(bodies, (std::vector<std::string>{"SELECT 1", ""})) << size;
  }
}

TEST(HttpRequestParser, TheBodyWaitsForTheCaller) {
  HttpRequestParser parser;
  ASSERT_EQ(After(parser, "POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nab"), State::kHead);
  EXPECT_EQ(After(parser, "c"), State::kHead);
  EXPECT_EQ(parser.ReadBody(), State::kReadingBody);
  EXPECT_EQ(After(parser, "dGET"), State::kComplete);
  EXPECT_EQ(parser.TakeBody(), "abcd");
  EXPECT_EQ(parser.Next(), State::kReadingHead);
  EXPECT_TRUE(parser.started()) << "a part of the next is there";
}

TEST(HttpRequestParser, WhetherTheConnectionStaysOpen) {
  const auto keeps = [](std::string_view version, std::string_view header) {
    HttpRequestParser parser;
    After(parser, fmt::format("GET / {}\r\n{}\r\n", version, header));
    return parser.head().keep_alive;
  };
  EXPECT_TRUE(keeps("HTTP/1.1", ""));
  EXPECT_TRUE(keeps("HTTP/1.1", "Connection: keep-alive\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.1", "Connection: close\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.1", "Connection: Upgrade, Close\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.0", ""));
}

TEST(HttpRequestParser, Malformed) {
  for (const char* bytes : {"get / HTTP/1.1\r\n",
                            "GET /\r\n",
                            "GET  / HTTP/1.1\r\n",
                            "GET / HTTP/2.0\r\n",
                            "GET / HTTP/1.1 \r\n",
                            "GET / HTTP/1.1\n",
                            " GET / HTTP/1.1\r\n",
                            "GET x HTTP/1.1\r\n",
                            "GET http://localhost/ HTTP/1.1\r\n",
                            "GET /a\tb HTTP/1.1\r\n",
                            "GET /a\x7f HTTP/1.1\r\n",
                            "GET / HTTP/1.1\r\n folded: x\r\n\r\n",
                            "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
                            "GET / HTTP/1.1\r\nA : b\r\n\r\n",
                            "GET / HTTP/1.1\r\n: b\r\n\r\n",
                            "GET / HTTP/1.1\r\nA\r\n\r\n",
                            "GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n",
                            "GET / HTTP/1.1\r\nA: b\rC: d\r\n\r\n",
                            "GET / HTTP/1.1\r\nA: \x01\r\n\r\n",
                            "POST / HTTP/1.1\r\nContent-Length: +5\r\n\r\n",
                            "POST / HTTP/1.1\r\nContent-Length: 5, 5\r\n\r\n",
                            "POST / HTTP/1.1\r\nContent-Length:\r\n\r\n",
                            "POST / HTTP/1.1\r\nContent-Length: 0x5\r\n\r\n",
                            "POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
                            "PRI * HTTP/2.0\r\n",
                            "ABCDEFGHIJKLMNOPQ"}) {
    EXPECT_EQ(StatusOf(bytes), 400) << bytes;
  }
  EXPECT_EQ(StatusOf(std::string_view("GET /\0 HTTP/1.1\r\n", 17)), 400);
}

TEST(HttpRequestParser, Limits) {
  const std::string fits = "GET /" + std::string(kMaxRequestLine - 15, 'x') + " HTTP/1.1\r\n";
  EXPECT_EQ(StatusOf(fits + "\r\n"), 0);
  EXPECT_EQ(StatusOf("GET /" + std::string(kMaxRequestLine, 'x')), 414) << "before its end";
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nA: " + std::string(kMaxHead - 100, 'x') + "\r\n\r\n"), 0);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nA: " + std::string(kMaxHead, 'x')), 431);
  std::string many = "GET / HTTP/1.1\r\n";
  for (size_t i = 0; i < kMaxHeaders; ++i) many += "A: b\r\n";
  EXPECT_EQ(StatusOf(many + "\r\n"), 0);
  EXPECT_EQ(StatusOf(many + "A: b\r\n\r\n"), 431);
  HttpRequestParser parser;
  After(parser, "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n");
  EXPECT_EQ(parser.head().content_length, SIZE_MAX);
}

TEST(HttpRequestParser, EmptyLinesAreIgnored) {
  HttpRequestParser parser;
  for (int i = 0; i < 1000; ++i) After(parser, "\r\n");
  EXPECT_FALSE(parser.started());
}

}  // namespace
}  // namespace warpsight::server
