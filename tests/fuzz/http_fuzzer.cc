// Reads any bytes as HTTP requests, in pieces of any size, and checks the invariants of the parser
// and that the access guard denies access.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "server/access.h"
#include "server/access_guard.h"
#include "server/http_request_parser.h"
#include "server/http_response.h"
#include "server/message.h"

namespace warpsight::server {
namespace {

using State = HttpRequestParser::State;

void Require(bool condition, std::string_view promise) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(promise.size()), promise.data());
  std::abort();
}

bool IsPrintable(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

void CheckHead(const HttpHead& head) {
  Require(!head.method.empty() && head.method.size() <= 16, "methods are short");
  Require(head.target.size() <= kMaxRequestLine, "targets are bounded");
  Require(head.target == "*" || head.target.starts_with('/'), "targets are paths");
  Require(IsPrintable(head.target) && head.target.find(' ') == head.target.npos,
          "targets hold no control characters");
  Require(head.headers.size() <= kMaxHeaders, "headers are bounded");
  size_t size = 0;
  for (const auto& [name, value] : head.headers) {
    Require(!name.empty() && IsPrintable(name) && IsPrintable(value),
            "headers hold no control characters");
    size += name.size() + value.size();
  }
  Require(size <= kMaxHead, "a head is bounded");
}

// Without the token, only errors, redirects without a cookie and pages without data are returned.
void CheckGuard(const HttpHead& head, const std::string& body) {
  static const AccessGuard guard(*MakeToken(), true, 8000);
  Request request;
  request.method = head.method == "HEAD" ? "GET" : head.method;
  request.path = SplitPath(head.Path());
  AddParams(head.Query(), request.params);
  auto response = guard.Check(head, request);
  if (!response) {
    Require(AccessGuard::IsLogin(request), "nobody gets in without the token");
    AddParams(body, request.params);
    response = guard.LogIn(request);
  }
  for (const auto& [name, value] : response->headers) {
    Require(name != "Set-Cookie", "the token is not given away");
  }
  const HttpResponse encoded = EncodeResponse(head, *response, false);
  Require(encoded.head.ends_with("\r\n\r\n") &&
              encoded.head.find("\r\n\r\n") + 4 == encoded.head.size(),
          "an answer has one head");
}

struct Read {
  std::vector<std::string> requests;
  int status = 0;
  bool operator==(const Read&) const = default;
};

// All requests in the bytes, cut into pieces whose sizes follow from `seed`.
Read ReadAll(std::string_view bytes, uint32_t seed) {
  HttpRequestParser parser;
  Read read;
  while (!bytes.empty()) {
    seed = seed * 1664525 + 1013904223;
    const size_t size = std::min<size_t>(
        bytes.size(), seed % 4 == 0 ? 1 + (seed >> 8) % 4096 : 1 + (seed >> 8) % 7);
    parser.Append(bytes.substr(0, size));
    bytes.remove_prefix(size);
    while (parser.state() == State::kHead || parser.state() == State::kComplete) {
      const HttpHead head = parser.head();
      if (parser.state() == State::kHead) {
        CheckHead(head);
        // Like the server: never wait for input that is too long.
        if (head.content_length > kMaxBody || head.Has("transfer-encoding")) return read;
        parser.ReadBody();
        continue;
      }
      const std::string body = parser.TakeBody();
      Require(body.size() == head.content_length, "a body is as long as announced");
      CheckGuard(head, body);
      read.requests.push_back(head.method + ' ' + head.target + '\n' + body);
      parser.Next();
    }
    if (parser.state() != State::kMalformed) continue;
    read.status = parser.status();
    Require(read.status == 400 || read.status == 414 || read.status == 431,
            "malformed requests have a status");
    return read;
  }
  return read;
}

}  // namespace
}  // namespace warpsight::server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using warpsight::server::ReadAll;
  if (size < 4) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 4, size - 4);
  const uint32_t seed = data[0] | data[1] << 8 | data[2] << 16;
  const auto once = ReadAll(bytes, seed);
  const auto again = ReadAll(bytes, seed + 1);
  // Limits depend on the bytes received so far; the requests before that are the same.
  const size_t common = std::min(once.requests.size(), again.requests.size());
  warpsight::server::Require(
      std::equal(once.requests.begin(), once.requests.begin() + common, again.requests.begin()),
      "requests do not depend on how they are cut");
  return 0;
}
