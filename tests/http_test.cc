// `warpsight view` as a process that gets requests over sockets, also from misbehaving clients.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/gzip.h"
#include "documented_number.h"
#include "http_client.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using Clock = std::chrono::steady_clock;

// The token of the servers here; other servers generate one.
constexpr const char* kToken = "0123456789abcdef0123456789abcdef";
constexpr const char* kAuthorization = "Authorization: Bearer 0123456789abcdef0123456789abcdef\r\n";

constexpr const char* kDetail = "/api/profiles/run/aggregations/default/reports/detail";

std::string MakeRequest(const std::string& method, const std::string& target,
                        const std::string& headers = "", const std::string& body = "") {
  std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\n{}{}", method, target,
                                 kAuthorization, headers);
  if (!body.empty()) text += fmt::format("Content-Length: {}\r\n", body.size());
  return text + "\r\n" + body;
}

// A request of a client without the token.
std::string MakeForeignRequest(const std::string& method, const std::string& target,
                               const std::string& headers = "", const std::string& body = "") {
  std::string text = MakeRequest(method, target, headers, body);
  text.erase(text.find(kAuthorization), std::string_view(kAuthorization).size());
  return text;
}

class HttpTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    const std::string file = folder_->Path("run.warpsight");
    ASSERT_EQ(
        RunWarpsight({"import", BundledTracePath("resnet18_cuda_graph_inference"), "-o", file})
            .exit_code,
        0);
    setenv("WARPSIGHT_TOKEN", kToken, 1);
    server_ = new ServerProcess({file});
    unsetenv("WARPSIGHT_TOKEN");
    for (int i = 0; i < 600 && Get("/api/profiles/run").status != 200; ++i) {
      std::this_thread::sleep_for(milliseconds(50));
    }
  }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
    delete folder_;
  }
  // Whatever a client did, the server still serves others.
  void TearDown() override { EXPECT_EQ(Get("/api/profiles").status, 200); }

  static HttpReply Send(const std::string& bytes, bool head = false) {
    RawConnection connection(server_->port());
    connection.Send(bytes);
    return connection.Read(head);
  }
  static HttpReply Get(const std::string& target, const std::string& headers = "") {
    return Send(MakeRequest("GET", target, headers));
  }

  static TemporaryFolder* folder_;
  static ServerProcess* server_;
};

TemporaryFolder* HttpTest::folder_ = nullptr;
ServerProcess* HttpTest::server_ = nullptr;

TEST_F(HttpTest, ServesTheApplication) {
  const HttpReply page = Get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_THAT(page.headers.at("content-security-policy"), HasSubstr("default-src 'self'"));
  EXPECT_EQ(page.headers.at("x-content-type-options"), "nosniff");
  const size_t at = page.body.find("/assets/");
  ASSERT_NE(at, std::string::npos) << page.body;
  const std::string script = page.body.substr(at, page.body.find('"', at) - at);
  const HttpReply asset = Get(script);
  EXPECT_EQ(asset.status, 200) << script;
  EXPECT_THAT(asset.headers.at("cache-control"), HasSubstr("immutable"));
  EXPECT_THAT(page.body, Not(HasSubstr("src=\"http"))) << "the page loads nothing from other hosts";
}

TEST_F(HttpTest, OtherFilesCannotBeReached) {
  for (const char* target : {"/../../../../etc/passwd",
                             "/..%2f..%2f..%2fetc%2fpasswd",
                             "/%2e%2e/%2e%2e/etc/passwd",
                             "/..%252f..%252fetc/passwd",
                             "/assets/../../etc/passwd",
                             "/assets/..%5c..%5cetc%5cpasswd",
                             "//etc/passwd",
                             "/%00/etc/passwd",
                             "/etc/passwd%00.html",
                             "/..%c0%af..%c0%afetc/passwd",
                             "/%uff0e%uff0e/etc/passwd",
                             "/....//....//etc/passwd",
                             "/./../etc/passwd",
                             "/;/etc/passwd",
                             "/api/profiles/..%2f..%2f..%2fetc%2fpasswd",
                             "/api/profiles/%2e%2e/sql",
                             "/api/../../etc/passwd",
                             "/file:///etc/passwd",
                             "http://localhost/etc/passwd",
                             "/run.warpsight",
                             "/offline.html"}) {
    const HttpReply reply = Get(target);
    EXPECT_THAT(reply.status, AnyOf(404, 405, 400)) << target;
    EXPECT_THAT(reply.body, Not(HasSubstr("root:"))) << target;
  }
}

TEST_F(HttpTest, AnswersToLoopbackNamesOnly) {
  const auto with_host = [](const std::string& host) {
    return Send("GET /api/profiles HTTP/1.1\r\n" + std::string(kAuthorization) + host + "\r\n")
        .status;
  };
  EXPECT_EQ(with_host(fmt::format("Host: localhost:{}\r\n", server_->port())), 200);
  EXPECT_EQ(with_host("Host: 127.0.0.1\r\n"), 200);
  EXPECT_EQ(with_host("Host: [::1]:80\r\n"), 200);
  EXPECT_EQ(with_host("Host: example.com\r\n"), 403);
  EXPECT_EQ(with_host("Host: 127.0.0.1.example.com\r\n"), 403);
  EXPECT_EQ(with_host("Host: localhost.example.com:8000\r\n"), 403);
  EXPECT_EQ(with_host("Host: \r\n"), 400);
  EXPECT_EQ(with_host(""), 400);
  EXPECT_EQ(with_host("Host: localhost\r\nHost: example.com\r\n"), 400);
}

TEST_F(HttpTest, RefusesOtherSites) {
  const std::string own = fmt::format("http://localhost:{}", server_->port());
  const auto from = [&](const std::string& headers, const std::string& method = "GET") {
    return Send(fmt::format("{} /api/profiles HTTP/1.1\r\nHost: localhost:{}\r\n{}{}\r\n", method,
                            server_->port(), kAuthorization, headers))
        .status;
  };
  EXPECT_EQ(from("Origin: " + own + "\r\n"), 200);
  EXPECT_EQ(from("Origin: http://example.com\r\n"), 403);
  EXPECT_EQ(from("Origin: null\r\n"), 403);
  EXPECT_EQ(from("Origin: \r\n"), 403);
  EXPECT_EQ(from("Origin: " + own + ".example.com\r\n"), 403);
  EXPECT_EQ(from("Origin: http://localhost:1\r\n"), 403) << "another port is another site";
  EXPECT_EQ(from("Sec-Fetch-Site: cross-site\r\n"), 403);
  EXPECT_EQ(from("Sec-Fetch-Site: same-site\r\n"), 403) << "another port of this host";
  EXPECT_EQ(from("Sec-Fetch-Site: anything\r\n"), 403);
  EXPECT_EQ(from("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"), 403)
      << "links may not lead to the API";
  EXPECT_EQ(from("Sec-Fetch-Site: same-origin\r\n"), 200);
  EXPECT_EQ(from("Sec-Fetch-Site: none\r\n"), 200) << "typed by the user";
  EXPECT_EQ(from("Sec-Fetch-Site: none\r\n", "DELETE"), 403);
  EXPECT_EQ(from("Sec-Fetch-Site: same-origin\r\n", "DELETE"), 405)
      << "allowed, but no such method";
}

// However a path is spelled, the checked path is the served one.
TEST_F(HttpTest, SpellingsOfPathsDoNotBypassTheGuard) {
  const std::string link = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n";
  for (const char* target :
       {"//api/profiles", "///api/profiles", "/%61pi/profiles", "/./api/profiles",
        "/x/../api/profiles", "/%2e/api/profiles", "/\\api/profiles", "\\api\\profiles",
        "http://localhost/api/profiles", "/api/profiles/", "/api//profiles", "/assets/x.js",
        "/index.html", "//", "/?/api/profiles#", "/.", "*"}) {
    const HttpReply reply = Get(target, link);
    if (std::string_view(target).starts_with("/?")) {
      EXPECT_EQ(reply.status, 200) << target;  // the page, whatever its parameters
      EXPECT_THAT(reply.headers.at("content-type"), HasSubstr("text/html"));
    } else {
      EXPECT_THAT(reply.status, AnyOf(400, 403)) << target;
    }
    EXPECT_THAT(reply.body, Not(HasSubstr("\"profiles\": ["))) << target;
  }
  EXPECT_EQ(Get("/", link).status, 200) << "a link to the viewer works";
  EXPECT_EQ(Get("/", link + "Sec-Fetch-Dest: document\r\n").status, 200);
  EXPECT_EQ(Get("/", link + "Sec-Fetch-Dest: iframe\r\n").status, 403);
  EXPECT_EQ(Get("/", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n").status, 403);
}

// 809 bytes of Brotli once became 2.27 GB.
TEST_F(HttpTest, CompressedBodiesAreRejectedUnread) {
  for (const char* encoding : {"br", "gzip", "deflate", "zstd", "identity", "gzip, br", ""}) {
    RawConnection connection(server_->port());
    connection.Send(
        MakeRequest("POST", "/api/profiles/run/sql",
                    fmt::format("Content-Encoding: {}\r\nContent-Length: 809\r\n", encoding)));
    const HttpReply reply = connection.Read();
    EXPECT_EQ(reply.status, 415) << encoding;
    EXPECT_TRUE(reply.closed) << "the server does not wait for the body";
  }
}

TEST_F(HttpTest, AsksForALargeBodyBeforeItIsSent) {
  RawConnection connection(server_->port());
  const std::string statement = "SELECT 41 + 1";
  const std::string head =
      MakeRequest("POST", "/api/profiles/run/sql",
                  fmt::format("Expect: 100-continue\r\nContent-Length: {}\r\n", statement.size()));
  connection.Send(head);
  EXPECT_EQ(connection.Read().status, 100);
  connection.Send(statement);
  EXPECT_THAT(connection.Read().body, HasSubstr("42"));
  connection.Send(MakeRequest("POST", "/api/profiles/run/sql",
                              "Expect: 100-continue\r\nContent-Length: 99999999\r\n"));
  EXPECT_EQ(connection.Read().status, 413);
  EXPECT_EQ(Get("/api/profiles", "Expect: miracles\r\n").status, 417);
}

// Another site can make a browser send any body; the server must not read it as a request.
TEST_F(HttpTest, TheBodyOfARejectedRequestIsNotARequest) {
  const std::string inner = MakeRequest("GET", "/api/profiles");
  for (const std::string& outer :
       {MakeRequest("POST", "/api/profiles/run/sql", "Origin: http://example.com\r\n", inner),
        MakeRequest("GET", "/api/profiles", "", inner), MakeRequest("PUT", "/", "", inner),
        MakeRequest("DELETE", "/api/profiles/run/aggregations/9-9", "", inner)}) {
    RawConnection connection(server_->port());
    const size_t head = outer.size() - inner.size();
    ASSERT_TRUE(connection.Send(outer.substr(0, head)));
    const HttpReply reply = connection.Read();
    EXPECT_TRUE(reply.closed) << outer;
    std::this_thread::sleep_for(milliseconds(30));
    connection.Send(inner);
    EXPECT_EQ(connection.Read().status, 0) << outer;
  }
}

TEST_F(HttpTest, LongLinesAndHeadersAreRejectedImmediately) {
  const std::string million(1 << 20, 'x');
  EXPECT_EQ(Get(std::string(kDetail) + "?f.Op%20Name=" + million).status, 414);
  EXPECT_EQ(Get(std::string(kDetail) + "?search=" + million.substr(0, 7000)).status, 400);
  EXPECT_EQ(Get("/api/profiles", "X-Long: " + million + "\r\n").status, 431);
  std::string many;
  for (int i = 0; i < 10000; ++i) many += fmt::format("X-{}: y\r\n", i);
  EXPECT_EQ(Get("/api/profiles", many).status, 431);
  EXPECT_THAT(Send(million).status, AnyOf(400, 414));
  EXPECT_EQ(Send(MakeRequest("POST", "/api/profiles/run/sql", "", million)).status, 413);
  EXPECT_EQ(Send(MakeRequest("POST", "/api/profiles/run/sql", "", million.substr(0, 65000))).status,
            400)
      << "as much as is allowed, but no SQL";
}

TEST_F(HttpTest, RequestsMayBeAsLargeAsDocumented) {
  const auto documented = [](const char* pattern) { return DocumentedNumber("api.md", pattern); };
  const auto target = [](size_t size) { return "/" + std::string(size - 1, 'x'); };
  const size_t line = 1024 * documented("a request line of ([0-9]+) KB");
  constexpr size_t kRestOfLine = std::string_view("GET  HTTP/1.1").size();
  EXPECT_EQ(Get(target(line - kRestOfLine - 2)).status, 404);
  EXPECT_EQ(Get(target(line)).status, 414);

  const size_t most_headers = documented("([0-9]+) headers of [0-9]+ KB together");
  constexpr size_t kOwnHeaders = 2;  // of MakeRequest
  std::string headers;
  for (size_t i = kOwnHeaders; i < most_headers; ++i) headers += "X: y\r\n";
  EXPECT_EQ(Get("/api/profiles", headers).status, 200);
  EXPECT_EQ(Get("/api/profiles", headers + "X: y\r\n").status, 431);
  const size_t head = 1024 * documented("headers of ([0-9]+) KB together");
  EXPECT_EQ(Get("/api/profiles", "X: " + std::string(head - 200, 'y') + "\r\n").status, 200);
  EXPECT_EQ(Get("/api/profiles", "X: " + std::string(head, 'y') + "\r\n").status, 431);

  const size_t filter = documented("a filter of ([0-9]+) bytes");
  const std::string search = std::string(kDetail) + "?search=";
  EXPECT_EQ(Get(search + std::string(filter, 'x')).status, 200);
  EXPECT_EQ(Get(search + std::string(filter + 1, 'x')).status, 400);

  const size_t body = 1024 * documented("a body of ([0-9]+) KB");
  const auto sql = [](size_t size) {
    const std::string text = "SELECT 1 --";
    return MakeRequest("POST", "/api/profiles/run/sql", "",
                       text + std::string(size - text.size(), 'x'));
  };
  EXPECT_EQ(Send(sql(body)).status, 200);
  EXPECT_EQ(Send(sql(body + 1)).status, 413);
}

TEST_F(HttpTest, RejectsHugeContentLengthsImmediately) {
  for (const char* length : {"104857600", "18446744073709551616", "999999999999999999999999"}) {
    const auto begin = Clock::now();
    const HttpReply reply = Send(MakeRequest("POST", "/api/profiles/run/sql",
                                             fmt::format("Content-Length: {}\r\n", length)));
    EXPECT_EQ(reply.status, 413) << length;
    EXPECT_TRUE(reply.closed);
    EXPECT_LT(Clock::now() - begin, seconds(3));
  }
  for (const char* headers : {"Content-Length: -5\r\n", "Content-Length: x\r\n",
                              "Content-Length: 3\r\nContent-Length: 5\r\n"}) {
    EXPECT_EQ(Send(MakeRequest("POST", "/api/profiles/run/sql", headers)).status, 400) << headers;
  }
  EXPECT_EQ(
      Send(MakeRequest("POST", "/api/profiles/run/sql", "Transfer-Encoding: chunked\r\n")).status,
      411);
}

TEST_F(HttpTest, RequestsWithoutABodyAreNotWaitedFor) {
  const auto begin = Clock::now();
  EXPECT_EQ(Send(MakeRequest("POST", "/api/profiles/run/aggregations")).status, 400);
  EXPECT_EQ(Send(MakeRequest("DELETE", "/api/profiles/run/aggregations/default")).status, 409);
  EXPECT_EQ(Send(MakeRequest("POST", "/api/profiles/run/sql", "Content-Length: 0\r\n")).status,
            400);
  EXPECT_LT(Clock::now() - begin, seconds(3));
}

TEST_F(HttpTest, GarbageIsRejectedImmediately) {
  const auto begin = Clock::now();
  for (const std::string& bytes :
       {std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),  // TLS
        std::string("GET /\r\n"),                                         // HTTP/0.9
        std::string("hello\r\n\r\n"), std::string("GET  HTTP/1.1\r\n\r\n"),
        std::string("GET / HTTP/2.0\r\n\r\n"), std::string("GET / HTTP/1.1\n\n"),
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), std::string("\0\0\0\0\0\0", 6),
        std::string("SSH-2.0-OpenSSH_9.2\r\n"), std::string(5000, '\n')}) {
    const HttpReply reply = Send(bytes);
    EXPECT_EQ(reply.status, 400) << bytes;
    EXPECT_TRUE(reply.closed) << bytes;
  }
  EXPECT_LT(Clock::now() - begin, seconds(5));
  EXPECT_EQ(Send("GET / HTTP/1.1\r\nHost localhost\r\n\r\n").status, 400);
  EXPECT_EQ(Get("/%zz?a=%zz&&&=&b").status, 404);
  EXPECT_EQ(Send(MakeRequest("BREW", "/")).status, 405);
  EXPECT_EQ(Send(MakeRequest("OPTIONS", "*")).status, 405);
  EXPECT_EQ(Send("\r\n" + MakeRequest("GET", "/api/profiles")).status, 200)
      << "an empty line before the request is ignored";
}

TEST_F(HttpTest, SlowClientsDoNotBlockOthers) {
  // Partial heads, partial bodies, no data at all: more than the connection limit.
  std::vector<std::unique_ptr<RawConnection>> slow;
  const std::string half_body =
      MakeRequest("POST", "/api/profiles/run/sql", "Content-Length: 60000\r\n") + "SELECT";
  for (int i = 0; i < 600; ++i) {
    slow.push_back(std::make_unique<RawConnection>(server_->port()));
    if (i % 3 == 0) slow.back()->Send("GET /api/profiles HTTP/1.1\r\nHost: loc");
    if (i % 3 == 1) slow.back()->Send(half_body);
    if (i % 50 != 0) continue;
    const auto begin = Clock::now();
    EXPECT_EQ(Get("/api/profiles").status, 200);
    EXPECT_LT(Clock::now() - begin, milliseconds(500)) << i;
  }
}

TEST_F(HttpTest, RequestsMustArriveInTime) {
  RawConnection head(server_->port());
  RawConnection body(server_->port());
  RawConnection silent(server_->port());
  RawConnection left(server_->port());
  head.Send("GET /api/profiles HTTP/1.1\r\nHost: loc");
  left.Send("GET /api/profiles HTTP/1.1\r\nHost: loc");
  body.Send(MakeRequest("POST", "/api/profiles/run/sql", "Content-Length: 60000\r\n"));
  left.EndSending();
  EXPECT_TRUE(left.WaitForClose(seconds(2)));
  // One byte per second is too slow to keep the connection.
  const size_t longest = DocumentedNumber("api.md", "It must arrive within ([0-9]+) seconds");
  for (size_t second = 0; second < longest + 1; ++second) {
    std::this_thread::sleep_for(milliseconds(1000));
    head.Send("x");
    body.Send("x");
  }
  EXPECT_EQ(head.Read(false, seconds(3)).status, 408);
  EXPECT_EQ(body.Read(false, seconds(3)).status, 408);
  EXPECT_TRUE(silent.WaitForClose(milliseconds(10)));
}

// Clients that request much data and read nothing.
TEST_F(HttpTest, ClientsThatDoNotReadDoNotBlockOthers) {
  std::vector<std::unique_ptr<RawConnection>> deaf;
  for (int i = 0; i < 40; ++i) {
    deaf.push_back(std::make_unique<RawConnection>(server_->port()));
    deaf.back()->Send(
        MakeRequest("GET", "/api/profiles/run/aggregations/default/reports/iteration?limit=all"));
  }
  const auto begin = Clock::now();
  EXPECT_EQ(Get("/api/profiles").status, 200);
  EXPECT_LT(Clock::now() - begin, seconds(3));
}

TEST_F(HttpTest, PipelinedRequestsAreAnsweredInOrder) {
  RawConnection connection(server_->port());
  connection.Send(MakeRequest("GET", "/api/profiles") + MakeRequest("GET", "/nothing") +
                  MakeRequest("POST", "/api/profiles/run/sql", "", "SELECT 42") +
                  MakeRequest("GET", "/api/reports"));
  EXPECT_EQ(connection.Read().status, 200);
  EXPECT_EQ(connection.Read().status, 404);
  EXPECT_THAT(connection.Read().body, HasSubstr("42"));
  EXPECT_THAT(connection.Read().body, HasSubstr("\"reports\""));
}

TEST_F(HttpTest, AConnectionServesManyRequests) {
  RawConnection connection(server_->port());
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(connection.Send(MakeRequest("GET", "/api/profiles")));
    ASSERT_EQ(connection.Read().status, 200) << i;
  }
  connection.Send(MakeRequest("GET", "/api/profiles", "Connection: close\r\n"));
  EXPECT_EQ(connection.Read().status, 200);
  EXPECT_TRUE(connection.WaitForClose(seconds(3)));
  RawConnection old(server_->port());
  old.Send("GET /api/profiles HTTP/1.0\r\nHost: localhost\r\n" + std::string(kAuthorization) +
           "\r\n");
  EXPECT_EQ(old.Read().status, 200);
  EXPECT_TRUE(old.WaitForClose(seconds(3)));
}

TEST_F(HttpTest, HeadHasTheHeadersOfGet) {
  const HttpReply get = Get(kDetail);
  const HttpReply head = Send(MakeRequest("HEAD", kDetail), true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-length"), get.headers.at("content-length"));
  EXPECT_EQ(head.headers.at("etag"), get.headers.at("etag"));
  RawConnection connection(server_->port());
  connection.Send(MakeRequest("HEAD", kDetail) + MakeRequest("GET", "/nothing"));
  connection.Read(true);
  EXPECT_EQ(connection.Read().status, 404) << "there is no body in between";
}

TEST_F(HttpTest, UnchangedResponsesAreNotSentAgain) {
  for (const char* target : {kDetail, "/", "/api/profiles/run/aggregations/default/dashboard"}) {
    const HttpReply first = Get(target);
    ASSERT_THAT(first.headers, Contains(Key("etag"))) << target;
    EXPECT_THAT(first.headers.at("cache-control"), HasSubstr("no-cache"));
    const HttpReply again = Get(target, "If-None-Match: " + first.headers.at("etag") + "\r\n");
    EXPECT_EQ(again.status, 304) << target;
    EXPECT_TRUE(again.body.empty());
    EXPECT_EQ(Get(target, "If-None-Match: \"other\"\r\n").status, 200);
    const HttpReply compressed =
        Get(target, "Accept-Encoding: gzip\r\nIf-None-Match: " + first.headers.at("etag") + "\r\n");
    EXPECT_EQ(compressed.status, 304);
  }
  EXPECT_THAT(Get("/api/profiles").headers, Not(Contains(Key("etag")))) << "states change";
}

TEST_F(HttpTest, CompressedResponsesHaveTheSameContent) {
  for (const char* target : {kDetail, "/", "/api/reports",
                             "/api/profiles/run/aggregations/default/timeline/tiles/0/0"}) {
    const HttpReply plain = Get(target);
    const HttpReply packed = Get(target, "Accept-Encoding: deflate, gzip, br\r\n");
    ASSERT_EQ(packed.status, 200);
    EXPECT_THAT(plain.headers, Not(Contains(Key("content-encoding")))) << target;
    ASSERT_THAT(packed.headers, Contains(Key("content-encoding"))) << target;
    EXPECT_EQ(packed.headers.at("content-encoding"), "gzip");
    EXPECT_EQ(packed.headers.at("vary"), "Accept-Encoding");
    EXPECT_LT(packed.body.size(), plain.body.size());
    EXPECT_TRUE(Gunzip(packed.body) == plain.body) << target;
  }
  EXPECT_THAT(Get("/api/profiles", "Accept-Encoding: gzip\r\n").headers,
              Not(Contains(Key("content-encoding"))))
      << "small responses are not compressed";
  EXPECT_THAT(Get(kDetail, "Accept-Encoding: gzip;q=0\r\n").headers,
              Not(Contains(Key("content-encoding"))))
      << "the client declined compression";
}

TEST_F(HttpTest, RangeRequestsGetTheWholeFile) {
  const HttpReply whole = Get(kDetail);
  for (const char* range : {"bytes=0-9", "bytes=0-,0-,0-,0-,0-", "bytes=5-2", "bytes=-5",
                            "bytes=99999999999999999999-"}) {
    const HttpReply reply = Get(kDetail, fmt::format("Range: {}\r\n", range));
    EXPECT_EQ(reply.status, 200) << range;
    EXPECT_TRUE(reply.body == whole.body) << range;
  }
}

TEST_F(HttpTest, TilesMayBeCached) {
  const HttpReply tile = Get("/api/profiles/run/aggregations/default/timeline/tiles/0/0?v=1");
  EXPECT_EQ(tile.status, 200);
  EXPECT_THAT(tile.headers.at("cache-control"), HasSubstr("max-age=3600"));
  EXPECT_EQ(tile.body.substr(0, 4), "WST1");
}

TEST_F(HttpTest, EncodedNamesArriveWhole) {
  const HttpReply made = Send(MakeRequest("POST", "/api/profiles/run/aggregations",
                                          "Content-Type: application/x-www-form-urlencoded\r\n",
                                          "start=0&stop=1&key_op=a%2Fb%26c+d%C3%A9"));
  EXPECT_EQ(made.status, 202) << made.body;
  EXPECT_THAT(made.body, HasSubstr("0-1@a/b&c dé"));
  for (int i = 0; i < 200; ++i) {
    const HttpReply state = Get("/api/profiles/run/aggregations/0-1%40a%2Fb%26c%20d%C3%A9");
    ASSERT_EQ(state.status, 200) << state.body;
    if (state.body.find("computing") == std::string::npos) break;
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_THAT(Get("/api/profiles/run/aggregations/0-1%40a%2Fb%26c%20d%C3%A9").body,
              HasSubstr("unknown-key-op"));
}

TEST_F(HttpTest, ManyConcurrentRequests) {
  std::atomic<int> good = 0;
  std::vector<std::thread> clients;
  clients.reserve(100);
  for (int i = 0; i < 100; ++i) {
    clients.emplace_back([&] {
      for (int n = 0; n < 3; ++n) good += Get(kDetail).status == 200 ? 1 : 0;
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, 300);
}

class HttpProcessTest : public ::testing::Test {
 protected:
  static std::string Trace() { return BundledTracePath("resnet18_cuda_graph_inference"); }
  static HttpReply Send(int port, const std::string& bytes) {
    RawConnection connection(port);
    connection.Send(bytes);
    return connection.Read();
  }
  static HttpReply Get(int port, const std::string& target, const std::string& headers = "") {
    return Send(port, MakeForeignRequest("GET", target, headers));
  }
  static HttpReply Ask(const ServerProcess& server, const std::string& target) {
    return Get(server.port(), target, "Authorization: Bearer " + server.token() + "\r\n");
  }
};

TEST_F(HttpProcessTest, EveryRequestNeedsTheToken) {
  for (const char* address : {"127.0.0.1", "0.0.0.0"}) {
    ServerProcess server({Trace(), "--bind", address});
    const std::string token = server.token();
    ASSERT_EQ(token.size(), 32u) << server.printed();
    EXPECT_THAT(server.printed(), HasSubstr("Anyone with this URL"));
    const int port = server.port();
    const std::string wrong(32, '0');
    const std::string cookie = fmt::format("Cookie: warpsight_token_{}=", port);
    for (const std::string& target :
         {std::string("/api/profiles"), std::string("/"), std::string("/assets/x.js"),
          "/?token=" + wrong, std::string("/?token="), "/api/profiles?token=" + token}) {
      EXPECT_EQ(Get(port, target).status, 401) << target;
      EXPECT_THAT(Get(port, target).headers, Not(Contains(Key("set-cookie")))) << target;
    }
    for (const std::string& header :
         {"Authorization: Bearer " + wrong, std::string("Authorization: Bearer "),
          "Authorization: Basic " + token, "Authorization: Bearer " + token + "0", cookie + wrong,
          std::string("Cookie: warpsight_token=") + token}) {
      EXPECT_EQ(Get(port, "/api/profiles", header + "\r\n").status, 401) << header;
    }
    EXPECT_EQ(Ask(server, "/api/profiles").status, 200);
    EXPECT_EQ(
        Get(port, "/api/profiles", "Cookie: a=b; " + cookie.substr(8) + token + "\r\n").status,
        200);
    RawConnection named(port);
    named.Send("GET /api/profiles HTTP/1.1\r\nHost: box.example.com\r\nAuthorization: Bearer " +
               token + "\r\n\r\n");
    EXPECT_EQ(named.Read().status, std::string_view(address) == "0.0.0.0" ? 200 : 403)
        << "other host names only if others can connect";
  }
}

TEST_F(HttpProcessTest, TheTokenMovesFromTheAddressToACookie) {
  const ServerProcess server({Trace()});
  const HttpReply once = Get(server.port(), "/?a=1&token=" + server.token() + "&b=%2F");
  EXPECT_EQ(once.status, 303);
  EXPECT_EQ(once.headers.at("location"), "./?a=1&b=%2F");
  EXPECT_EQ(once.headers.at("cache-control"), "no-store");
  EXPECT_EQ(Get(server.port(), "/?token=" + server.token()).headers.at("location"), "./");
  const std::string cookie = once.headers.at("set-cookie");
  EXPECT_THAT(cookie, HasSubstr("HttpOnly"));
  EXPECT_THAT(cookie, HasSubstr("SameSite=Strict"));
  const std::string value = "Cookie: " + cookie.substr(0, cookie.find(';')) + "\r\n";
  EXPECT_EQ(Get(server.port(), "/", value).status, 200);
  // A cookie alone does not allow changes: the browser must state that the page is the viewer's.
  const std::string aggregations = "/api/profiles/resnet18_cuda_graph_inference/aggregations";
  const auto change = [&](const std::string& headers) {
    return Send(server.port(), MakeForeignRequest("DELETE", aggregations, value + headers)).status;
  };
  EXPECT_EQ(change(""), 403);
  EXPECT_NE(change("Origin: http://localhost\r\n"), 403);
  EXPECT_NE(change("Sec-Fetch-Site: same-origin\r\n"), 403);
}

// A file as the test's own standard input, which the programs that it starts inherit.
class InputFrom {
 public:
  explicit InputFrom(const std::string& path) : before_(dup(STDIN_FILENO)) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    dup2(file, STDIN_FILENO);
    close(file);
  }
  InputFrom(const InputFrom&) = delete;
  InputFrom& operator=(const InputFrom&) = delete;
  ~InputFrom() {
    dup2(before_, STDIN_FILENO);
    close(before_);
  }

 private:
  int before_;
};

// Not the temporary file that it is copied to.
TEST_F(HttpProcessTest, StandardInputIsCalledThat) {
  const TemporaryFolder folder;
  std::ofstream(folder.Path("notes.txt")) << "these are notes";
  const std::string profile = folder.Path("run.warpsight");
  ASSERT_EQ(RunWarpsight({"import", Trace(), "-o", profile}).exit_code, 0);
  for (const std::string& path : {Trace(), profile, folder.Path("notes.txt")}) {
    const InputFrom input(path);
    const ServerProcess server({"-"});
    std::string profiles;
    do {
      profiles = Ask(server, "/api/profiles").body;
    } while (profiles.find("\"loading\"") != profiles.npos);
    EXPECT_THAT(profiles, HasSubstr("\"path\": \"standard input\""));
    EXPECT_THAT(profiles, Not(HasSubstr("/standard-input"))) << path;
    const HttpReply trust =
        Ask(server, "/api/profiles/standard-input/aggregations/default/reports/trust");
    EXPECT_EQ(trust.status, path.ends_with(".txt") ? 422 : 200) << trust.body;
    EXPECT_THAT(trust.body, Not(HasSubstr("/standard-input")));
  }
}

TEST_F(HttpProcessTest, BrowsersAreAskedForTheToken) {
  const ServerProcess server({Trace()});
  const HttpReply page = Get(server.port(), "/", "Accept: text/html,*/*\r\n");
  EXPECT_EQ(page.status, 401);
  EXPECT_THAT(page.headers.at("content-type"), HasSubstr("text/html"));
  EXPECT_THAT(page.body, HasSubstr("warpsight view"));
  EXPECT_THAT(page.body, HasSubstr("<form"));
  EXPECT_THAT(Get(server.port(), "/api/profiles", "Accept: text/html\r\n").body,
              HasSubstr("\"no-token\""))
      << "programs get JSON";
  const auto log_in = [&](const std::string& token, const std::string& headers = "") {
    return Send(server.port(),
                MakeForeignRequest("POST", "/login",
                                   "Content-Type: application/x-www-form-urlencoded\r\n" + headers,
                                   "token=" + token));
  };
  EXPECT_EQ(log_in(server.token()).status, 303);
  EXPECT_THAT(log_in(server.token()).headers, Contains(Key("set-cookie")));
  EXPECT_EQ(log_in(std::string(32, '0')).status, 401);
  EXPECT_THAT(log_in(std::string(32, '0')).headers, Not(Contains(Key("set-cookie"))));
  EXPECT_EQ(log_in(server.token(), "Origin: http://example.com\r\n").status, 403);
  EXPECT_EQ(log_in(server.token(), "Sec-Fetch-Site: same-site\r\n").status, 403);
  // A link from another site comes without the cookie: the page redirects to itself, and then has
  // it.
  const HttpReply link =
      Get(server.port(), "/", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n");
  EXPECT_EQ(link.status, 200);
  EXPECT_THAT(link.body, HasSubstr("reload.js"));
  EXPECT_THAT(Get(server.port(), "/reload.js").body, HasSubstr("./?reloaded"));
  EXPECT_EQ(
      Get(server.port(), "/?reloaded", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n")
          .status,
      401)
      << "it redirects only once";
  const HttpReply reloaded =
      Get(server.port(), "/?reloaded",
          fmt::format("Cookie: warpsight_token_{}={}\r\n", server.port(), server.token()));
  EXPECT_EQ(reloaded.status, 303);
  EXPECT_EQ(reloaded.headers.at("location"), "./");
}

TEST_F(HttpProcessTest, AChosenTokenMustBeLongAndIsNotPrinted) {
  setenv("WARPSIGHT_TOKEN", "secret", 1);
  const ProgramRun run = RunWarpsight({"view", Trace()});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.errors, HasSubstr("WARPSIGHT_TOKEN"));
  setenv("WARPSIGHT_TOKEN", kToken, 1);
  const ServerProcess server({Trace()});
  unsetenv("WARPSIGHT_TOKEN");
  EXPECT_THAT(server.printed(), Not(HasSubstr(kToken)));
  EXPECT_EQ(Send(server.port(), MakeRequest("GET", "/api/profiles")).status, 200);
}

// Arguments are visible to all users of the machine.
TEST_F(HttpProcessTest, TheBrowserIsStartedWithoutTheTokenInItsArguments) {
  const TemporaryFolder folder;
  const std::string seen = folder.Path("seen");
  std::ofstream(folder.Path("xdg-open"))
      << "#!/bin/sh\n{ echo \"$# $1\"; stat -c %a \"$1\" \"${1%/*}\"; cat \"$1\"; } > " << seen
      << ".part; mv " << seen << ".part " << seen << "\n";
  std::filesystem::permissions(folder.Path("xdg-open"), std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder.path() + ":" + path).c_str(), 1);
  std::string page;
  {
    ServerProcess server({Trace(), "--open"});
    setenv("PATH", path.c_str(), 1);
    for (int i = 0; i < 500 && !std::filesystem::exists(seen); ++i) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    std::ifstream file(seen);
    std::string count, file_mode, folder_mode;
    file >> count >> page >> file_mode >> folder_mode;
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(count, "1");
    EXPECT_EQ(file_mode, "600");
    EXPECT_EQ(folder_mode, "700");
    EXPECT_THAT(page, Not(HasSubstr(server.token())));
    EXPECT_THAT(text, HasSubstr("url=http://localhost:"));
    EXPECT_THAT(text, HasSubstr(server.token()));
  }
  EXPECT_FALSE(std::filesystem::exists(page)) << "removed when the viewer ends";
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(page).parent_path()));
}

TEST_F(HttpProcessTest, ATakenPortIsReportedAndTheNextIsUsed) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  ::listen(socket, 1);
  const int taken = ntohs(address.sin_port);
  {
    const ServerProcess server({Trace()}, taken);
    EXPECT_GT(server.port(), taken);
    EXPECT_THAT(server.printed(), HasSubstr(fmt::format("port {} is taken", taken)));
    EXPECT_EQ(Ask(server, "/api/profiles").status, 200);
  }
  ::close(socket);
}

TEST_F(HttpProcessTest, SaysWhenItCannotListen) {
  const ProgramRun run = RunWarpsight({"view", Trace(), "--bind", "203.0.113.7", "-p", "8123"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.errors, HasSubstr("cannot listen on 203.0.113.7 port 8123"));
  EXPECT_EQ(RunWarpsight({"view", Trace(), "-p", "0"}).exit_code, 2);
  EXPECT_EQ(RunWarpsight({"view", Trace(), "-p", "65536"}).exit_code, 2);
  EXPECT_EQ(RunWarpsight({"view"}).exit_code, 2);
}

TEST_F(HttpProcessTest, EndsWithoutLeftovers) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TemporaryFolder place;
    setenv("TMPDIR", place.Path("").c_str(), 1);
    ServerProcess server({Trace()});
    unsetenv("TMPDIR");
    for (int i = 0; i < 600; ++i) {
      if (Ask(server, "/api/profiles/resnet18_cuda_graph_inference").status == 200) break;
      std::this_thread::sleep_for(milliseconds(20));
    }
    EXPECT_TRUE(std::filesystem::is_empty(place.Path(""))) << "the file for SQL has no name";
    const RawConnection idle(server.port());
    RawConnection half(server.port());
    half.Send("GET / HTTP/1.1\r\n");
    std::this_thread::sleep_for(milliseconds(100));
    const auto begin = Clock::now();
    server.Signal(signal);
    EXPECT_EQ(server.WaitForEnd(), 0);
    EXPECT_LT(Clock::now() - begin, seconds(1)) << "open connections do not delay the end";
    EXPECT_TRUE(std::filesystem::is_empty(place.Path(""))) << signal;
  }
}

TEST_F(HttpProcessTest, EndsWhileATraceIsImported) {
  const TemporaryFolder place;
  setenv("TMPDIR", place.Path("").c_str(), 1);
  std::vector<std::string> traces;
  for (const std::string& name : BundledTraces()) traces.push_back(BundledTracePath(name));
  ServerProcess server(traces);
  unsetenv("TMPDIR");
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForEnd(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(place.Path("")));
}

TEST_F(HttpProcessTest, KeepsIgnoringIgnoredSignals) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGHUP, &ignore, &before);  // as nohup does
  ServerProcess server({Trace()});
  sigaction(SIGHUP, &before, nullptr);
  server.Signal(SIGHUP);
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_EQ(Ask(server, "/api/profiles").status, 200);
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForEnd(), 0);
}

}  // namespace
}  // namespace warpsight::testing
