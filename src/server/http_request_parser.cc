#include "server/http_request_parser.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

namespace warpsight::server {
namespace {

constexpr size_t kMaxMethod = 16;

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

// RFC 9110, 5.6.2.
bool IsTokenChar(char c) {
  return IsUpper(c) || IsDigit(c) || (c >= 'a' && c <= 'z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// Visible ASCII, or a byte of a UTF-8 character.
bool IsTargetChar(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte != 0x7f;
}

bool IsValueChar(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 0x20 && byte != 0x7f) || c == '\t';
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

// Whether a list of words ("keep-alive, close") contains this one.
bool HasWord(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    if (EqualsIgnoringCase(Trim(list.substr(0, end)), word)) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

// Whether the received part can be the beginning of "GET /x HTTP/1.1", so that a client with
// another protocol gets an answer immediately.
bool CanBeginRequestLine(std::string_view part) {
  const size_t space = part.find(' ');
  const std::string_view method = part.substr(0, space);
  if (method.size() > kMaxMethod || !std::all_of(method.begin(), method.end(), IsUpper)) {
    return false;
  }
  return space == part.npos || space > 0;
}

bool ParseRequestLine(std::string_view line, HttpHead& head) {
  const size_t method_end = line.find(' ');
  if (method_end == line.npos || !CanBeginRequestLine(line)) return false;
  head.method = line.substr(0, method_end);
  line.remove_prefix(method_end + 1);
  const size_t target_end = line.find(' ');
  if (target_end == line.npos) return false;
  head.target = line.substr(0, target_end);
  // Only proxies receive complete URLs as targets (RFC 9112, 3.2.2).
  if (head.target != "*" && !head.target.starts_with('/')) return false;
  if (!std::all_of(head.target.begin(), head.target.end(), IsTargetChar)) return false;
  const std::string_view version = line.substr(target_end + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return false;
  head.keep_alive = version == "HTTP/1.1";
  return true;
}

bool ParseHeader(std::string_view line, HttpHead& head) {
  const size_t colon = line.find(':');
  if (colon == line.npos || colon == 0) return false;
  std::string name(line.substr(0, colon));
  if (!std::all_of(name.begin(), name.end(), IsTokenChar)) return false;
  std::transform(name.begin(), name.end(), name.begin(), Lower);
  const std::string_view value = Trim(line.substr(colon + 1));
  if (!std::all_of(value.begin(), value.end(), IsValueChar)) return false;
  head.headers.emplace_back(std::move(name), value);
  return true;
}

// nullopt if it is not a valid length, or if there are several: a proxy in front might split the
// following requests at a different position.
std::optional<size_t> ParseContentLength(const HttpHead& head) {
  const auto named = [](const auto& header) { return header.first == "content-length"; };
  const auto count = std::count_if(head.headers.begin(), head.headers.end(), named);
  if (count == 0) return 0;
  const std::string_view text = head.Header("content-length");
  if (count > 1 || text.empty() || !std::all_of(text.begin(), text.end(), IsDigit)) return {};
  size_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  return error == std::errc() ? length : SIZE_MAX;
}

// Parses the lines without the empty one at the end. Returns the status of the error, or 0.
int ParseHead(std::string_view text, HttpHead& head) {
  constexpr std::string_view kEnd = "\r\n";
  const size_t first = std::min(text.find(kEnd), text.size());
  if (!ParseRequestLine(text.substr(0, first), head)) return 400;
  text.remove_prefix(std::min(first + kEnd.size(), text.size()));
  while (!text.empty()) {
    const size_t end = std::min(text.find(kEnd), text.size());
    if (head.headers.size() == kMaxHeaders) return 431;
    if (!ParseHeader(text.substr(0, end), head)) return 400;
    text.remove_prefix(std::min(end + kEnd.size(), text.size()));
  }
  const std::optional<size_t> length = ParseContentLength(head);
  if (!length) return 400;
  head.content_length = *length;
  if (HasWord(head.Header("connection"), "close")) head.keep_alive = false;
  return 0;
}

}  // namespace

std::string_view HttpHead::Header(std::string_view name) const {
  const auto it = std::find_if(headers.begin(), headers.end(),
                               [&](const auto& header) { return header.first == name; });
  return it == headers.end() ? std::string_view() : std::string_view(it->second);
}

bool HttpHead::Has(std::string_view name) const {
  return std::any_of(headers.begin(), headers.end(),
                     [&](const auto& header) { return header.first == name; });
}

std::string_view HttpHead::Path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string_view HttpHead::Query() const {
  const size_t mark = target.find('?');
  return mark == target.npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

HttpRequestParser::State HttpRequestParser::Append(std::string_view bytes) {
  if (state_ == State::kMalformed) return state_;
  buffer_.append(bytes);
  return Advance();
}

HttpRequestParser::State HttpRequestParser::ReadBody() {
  if (state_ == State::kHead) state_ = State::kReadingBody;
  return Advance();
}

HttpRequestParser::State HttpRequestParser::Next() {
  if (state_ == State::kMalformed) return state_;
  state_ = State::kReadingHead;
  head_ = {};
  body_.clear();
  line_checked_ = false;
  scanned_ = 0;
  return Advance();
}

HttpRequestParser::State HttpRequestParser::Advance() {
  if (state_ == State::kReadingHead) return AdvanceHead();
  if (state_ == State::kReadingBody) return AdvanceBody();
  return state_;
}

HttpRequestParser::State HttpRequestParser::AdvanceHead() {
  // Empty lines before a request are ignored (RFC 9112, 2.2).
  size_t empty = 0;
  while (std::string_view(buffer_).substr(empty).starts_with("\r\n")) empty += 2;
  buffer_.erase(0, empty);
  const std::string_view text(buffer_);
  if (text.empty() || text == "\r") return state_;
  if (!line_checked_) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.size() > kMaxRequestLine) return Malformed(414);
    if (!CanBeginRequestLine(line)) return Malformed(400);
    if (end == text.npos) return state_;
    HttpHead checked;
    if (!line.ends_with('\r')) return Malformed(400);
    if (!ParseRequestLine(line.substr(0, line.size() - 1), checked)) return Malformed(400);
    line_checked_ = true;
  }
  constexpr std::string_view kEnd = "\r\n\r\n";
  const size_t end = text.find(kEnd, scanned_);
  if (std::min(end, text.size()) > kMaxHead) return Malformed(431);
  if (end == text.npos) {
    scanned_ = text.size() < kEnd.size() ? 0 : text.size() - (kEnd.size() - 1);
    return state_;
  }
  head_ = {};
  const int refused = ParseHead(text.substr(0, end), head_);
  if (refused != 0) return Malformed(refused);
  buffer_.erase(0, end + kEnd.size());
  return state_ = State::kHead;
}

HttpRequestParser::State HttpRequestParser::AdvanceBody() {
  const size_t taken = std::min(buffer_.size(), head_.content_length - body_.size());
  body_.append(buffer_, 0, taken);
  buffer_.erase(0, taken);
  if (body_.size() == head_.content_length) state_ = State::kComplete;
  return state_;
}

HttpRequestParser::State HttpRequestParser::Malformed(int status) {
  status_ = status;
  buffer_.clear();
  return state_ = State::kMalformed;
}

}  // namespace warpsight::server
