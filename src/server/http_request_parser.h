#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsight::server {

// The largest request that is read (docs/api.md).
inline constexpr size_t kMaxRequestLine = 8 * 1024;
inline constexpr size_t kMaxHead = 32 * 1024;
inline constexpr size_t kMaxHeaders = 100;
inline constexpr size_t kMaxBody = 64 * 1024;

// The request line and the headers. Their syntax was checked, but not their meaning.
struct HttpHead {
  std::string method;  // "GET": letters in upper case
  std::string target;  // as sent: "/api/profiles?limit=5", or "*"
  bool keep_alive = true;
  // Names in lower case; values without surrounding blanks.
  std::vector<std::pair<std::string, std::string>> headers;
  // SIZE_MAX if the length does not fit.
  size_t content_length = 0;

  // The first header with that name, which must be in lower case; empty if there is none.
  std::string_view Header(std::string_view name) const;
  bool Has(std::string_view name) const;
  // Whether a body follows.
  bool HasBody() const { return content_length > 0 || Has("transfer-encoding"); }
  std::string_view Path() const;   // of the target, still percent-encoded
  std::string_view Query() const;  // without the question mark
};

// Parses requests from the bytes of a connection, received in pieces of any size. Pure: it uses no
// socket and no clock, and stores at most one head, one body and the last appended bytes.
//
// Parsing stops at kHead, before the body is read. The caller then either accepts the request with
// ReadBody() or rejects it; Next() continues with the next request.
class HttpRequestParser {
 public:
  enum class State {
    kReadingHead,
    kHead,  // complete; the caller must call ReadBody() or Next()
    kReadingBody,
    kComplete,
    kMalformed,  // status() says how; the connection cannot be used any longer
  };

  State Append(std::string_view bytes);
  State ReadBody();
  // Continues with the next request. Must not be called after kMalformed, or if the request has a
  // body that was not read.
  State Next();

  State state() const { return state_; }
  // Whether any byte of a request was received, other than empty lines before it.
  bool started() const { return !buffer_.empty() || state_ != State::kReadingHead; }
  const HttpHead& head() const { return head_; }
  std::string TakeBody() { return std::move(body_); }
  // The status for a malformed request: 400, 414 or 431.
  int status() const { return status_; }

 private:
  State Advance();
  State AdvanceHead();
  State AdvanceBody();
  State Malformed(int status);

  State state_ = State::kReadingHead;
  std::string buffer_;  // received, but not parsed yet
  size_t scanned_ = 0;  // bytes of the buffer that do not contain the end of the head
  bool line_checked_ = false;
  HttpHead head_;
  std::string body_;
  int status_ = 0;
};

}  // namespace warpsight::server
