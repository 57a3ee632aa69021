#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsight::server {

// How much of a request is read at most (docs/api.md).
inline constexpr size_t kMaxRequestLine = 8 * 1024;
inline constexpr size_t kMaxHead = 32 * 1024;
inline constexpr size_t kMaxHeaders = 100;
inline constexpr size_t kMaxBody = 64 * 1024;

// The request line and the headers, checked for syntax but not for sense.
struct HttpHead {
  std::string method;  // "GET": letters in upper case
  std::string target;  // as sent: "/api/profiles?limit=5", or "*"
  bool keep_alive = true;
  // Names in lower case; values without surrounding blanks.
  std::vector<std::pair<std::string, std::string>> headers;
  // SIZE_MAX for lengths that do not fit.
  size_t content_length = 0;

  // The first header of that name, which is in lower case; empty where there is none.
  std::string_view Header(std::string_view name) const;
  bool Has(std::string_view name) const;
  // Whether bytes follow that are not the next request.
  bool HasBody() const { return content_length > 0 || Has("transfer-encoding"); }
  std::string_view Path() const;   // of the target, still encoded
  std::string_view Query() const;  // without the question mark
};

// Parses requests from the bytes of a connection, received in pieces of any size. Pure: it uses no
// socket and no clock, and stores at most a head, a body and the last appended bytes.
//
// A request stops at kHead, before anything of its body is taken. The caller then either accepts
// it with ReadBody(), or refuses it; Next() goes on with what follows.
class HttpRequestParser {
 public:
  enum class State {
    kReadingHead,
    kHead,  // complete, and waiting for ReadBody() or Next()
    kReadingBody,
    kComplete,
    kMalformed,  // status() says how; the connection cannot be used any more
  };

  State Append(std::string_view bytes);
  State ReadBody();
  // Forgets this request. Not after kMalformed, and not where a body was announced and not read.
  State Next();

  State state() const { return state_; }
  // Whether any byte of a request has come, other than empty lines before it.
  bool started() const { return !buffer_.empty() || state_ != State::kReadingHead; }
  const HttpHead& head() const { return head_; }
  std::string TakeBody() { return std::move(body_); }
  // Of a malformed request: 400, 414 or 431.
  int status() const { return status_; }

 private:
  State Advance();
  State AdvanceHead();
  State AdvanceBody();
  State Malformed(int status);

  State state_ = State::kReadingHead;
  std::string buffer_;  // received and not yet taken
  size_t scanned_ = 0;  // bytes of the buffer in which no end of the head was found
  bool line_checked_ = false;
  HttpHead head_;
  std::string body_;
  int status_ = 0;
};

}  // namespace warpsight::server
