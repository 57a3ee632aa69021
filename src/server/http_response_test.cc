#include "server/http_response.h"

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/gzip.h"

namespace warpsight::server {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

HttpHead Get(std::vector<std::pair<std::string, std::string>> headers = {}) {
  HttpHead head;
  head.method = "GET";
  head.target = "/";
  head.headers = std::move(headers);
  return head;
}

TEST(HttpResponse, AnAnswer) {
  const HttpResponse response = EncodeResponse(Get(), Json("[1]"), false);
  EXPECT_THAT(response.head, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(response.head, HasSubstr("\r\nContent-Length: 3\r\n"));
  EXPECT_THAT(response.head, HasSubstr("\r\nContent-Type: application/json\r\n"));
  EXPECT_THAT(response.head, HasSubstr("\r\nContent-Security-Policy: default-src 'self'"));
  EXPECT_THAT(response.head, HasSubstr("\r\nReferrer-Policy: no-referrer\r\n"));
  EXPECT_THAT(response.head, EndsWith("\r\n\r\n"));
  EXPECT_EQ(response.body, "[1]");
  EXPECT_FALSE(response.close);
}

TEST(HttpResponse, SaysWhenToRetry) {
  const HttpResponse busy = EncodeResponse(Get(), Failure(503, "busy", "later"), false);
  EXPECT_THAT(busy.head, HasSubstr("\r\nRetry-After: 1\r\n"));
  EXPECT_THAT(busy.head, HasSubstr("\r\nCache-Control: no-store\r\n"));
}

TEST(HttpResponse, ContentThatTheClientHasIsNotSent) {
  const HttpResponse first = EncodeResponse(Get(), Json("[1]"), false);
  const size_t at = first.head.find("ETag: ") + 6;
  const std::string tag = first.head.substr(at, first.head.find('\r', at) - at);
  const HttpResponse again = EncodeResponse(Get({{"if-none-match", tag}}), Json("[1]"), false);
  EXPECT_THAT(again.head, StartsWith("HTTP/1.1 304 "));
  EXPECT_THAT(again.head, Not(HasSubstr("Content-Length")));
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(EncodeResponse(Get({{"if-none-match", tag}}), Json("[2]"), false).body, "[2]");
}

TEST(HttpResponse, CompressedFromOneKilobyteOn) {
  const HttpHead accepts = Get({{"accept-encoding", "br, gzip"}});
  const std::string text(1024, 'x');
  EXPECT_EQ(Gunzip(EncodeResponse(accepts, Json(text), false).body), text);
  EXPECT_EQ(EncodeResponse(accepts, Json(text.substr(1)), false).body, text.substr(1));
  EXPECT_EQ(EncodeResponse(Get(), Json(text), false).body, text);
}

TEST(HttpResponse, ResponsesToHeadHaveNoBody) {
  HttpHead head = Get();
  head.method = "HEAD";
  const HttpResponse response = EncodeResponse(head, Json("[1]"), false);
  EXPECT_THAT(response.head, HasSubstr("\r\nContent-Length: 3\r\n"));
  EXPECT_EQ(response.body, "");
}

TEST(HttpResponse, ClosesIfEitherSideRequestsIt) {
  HttpHead head = Get();
  EXPECT_TRUE(EncodeResponse(head, Json("1"), true).close);
  head.keep_alive = false;
  const HttpResponse response = EncodeResponse(head, Json("1"), false);
  EXPECT_TRUE(response.close);
  EXPECT_THAT(response.head, HasSubstr("\r\nConnection: close\r\n"));
}

TEST(HttpResponse, Refusals) {
  for (const int status : {400, 408, 414, 431}) {
    const HttpResponse response = EncodeRefusal(status);
    EXPECT_THAT(response.head, StartsWith("HTTP/1.1 " + std::to_string(status)));
    EXPECT_THAT(std::string(response.body), StartsWith("{\"code\": "));
    EXPECT_TRUE(response.close);
  }
}

}  // namespace
}  // namespace warpsight::server
