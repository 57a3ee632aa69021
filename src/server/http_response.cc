#include "server/http_response.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/gzip.h"

namespace warpsight::server {
namespace {

constexpr size_t kSmallestToCompress = 1024;

// Scripts and data may come only from this server, and pages of other sites may not embed it.
// Inline styles are allowed because charts use them in tooltips.
constexpr std::string_view kEveryResponse =
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Content-Security-Policy: default-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'\r\n";

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    default:
      return "Status";
  }
}

std::string_view CacheControl(Keep keep) {
  switch (keep) {
    case Keep::kNever:
      return "no-store";
    case Keep::kRevalidate:
      return "private, no-cache";
    case Keep::kHour:
      return "private, max-age=3600";
    case Keep::kImmutable:
      return "public, max-age=31536000, immutable";
  }
  return "no-store";
}

// True for "deflate, gzip;q=0.5", false for "gzip;q=0".
bool AcceptsGzip(const HttpHead& request) {
  const std::string_view header = request.Header("accept-encoding");
  const size_t at = header.find("gzip");
  if (at == header.npos) return false;
  std::string weight(header.substr(at, header.find(',', at) - at));
  std::erase(weight, ' ');
  return !weight.starts_with("gzip;q=0") ||
         weight.find_first_of("123456789", weight.find('=')) != weight.npos;
}

void AddHeader(std::string& head, std::string_view name, std::string_view value) {
  fmt::format_to(std::back_inserter(head), "{}: {}\r\n", name, value);
}

// Chooses the encoding of the body and sets the headers for it.
void EncodeBody(const HttpHead& request, const Response& response, HttpResponse& to) {
  const bool compressed = response.body == nullptr;
  const std::string_view content = compressed ? response.gzip_body : *response.body;
  AddHeader(to.head, "Vary", "Accept-Encoding");
  if (AcceptsGzip(request) && (compressed || content.size() >= kSmallestToCompress)) {
    AddHeader(to.head, "Content-Encoding", "gzip");
    if (!compressed)
      to.owner = std::make_shared<const std::string>(Gzip(content, GzipLevel::kFast));
  } else {
    to.owner = compressed ? std::make_shared<const std::string>(Gunzip(content)) : response.body;
  }
  to.body = to.owner == nullptr ? content : *to.owner;
}

// A tag for the uncompressed content. It is weak, since it is the same for both encodings.
std::string EntityTag(std::string_view content) {
  return fmt::format("\"{:016x}\"", std::hash<std::string_view>()(content));
}

}  // namespace

HttpResponse EncodeResponse(const HttpHead& request, Response response, bool close) {
  const std::string_view content = response.body == nullptr ? response.gzip_body : *response.body;
  std::string tag;
  if (!content.empty() && response.status == 200 && response.keep != Keep::kNever) {
    tag = EntityTag(content);
    if (request.Header("if-none-match").find(tag) != std::string_view::npos) response.status = 304;
  }
  HttpResponse to;
  to.close = close || !request.keep_alive;
  to.head = fmt::format("HTTP/1.1 {} {}\r\n", response.status, ReasonPhrase(response.status));
  to.head += kEveryResponse;
  AddHeader(to.head, "Cache-Control", CacheControl(response.keep));
  if (!tag.empty()) AddHeader(to.head, "ETag", "W/" + tag);
  if (to.close) AddHeader(to.head, "Connection", "close");
  if (response.retry_after_seconds > 0) {
    AddHeader(to.head, "Retry-After", std::to_string(response.retry_after_seconds));
  }
  if (!response.file_name.empty()) {
    AddHeader(to.head, "Content-Disposition",
              fmt::format("attachment; filename=\"{}\"", response.file_name));
  }
  for (const auto& [name, value] : response.headers) AddHeader(to.head, name, value);
  if (response.status != 304 && response.status != 204) {
    if (!content.empty()) {
      AddHeader(to.head, "Content-Type", response.type);
      EncodeBody(request, response, to);
    }
    AddHeader(to.head, "Content-Length", std::to_string(to.body.size()));
  }
  to.head += "\r\n";
  if (request.method == "HEAD") to.body = {};
  return to;
}

HttpResponse EncodeRefusal(int status) {
  const HttpHead unread;
  switch (status) {
    case 408:
      return EncodeResponse(
          unread, Failure(408, "too-slow", "the request did not arrive within 10 seconds"), true);
    case 414:
      return EncodeResponse(unread, Failure(414, "too-long", "the address is too long"), true);
    case 431:
      return EncodeResponse(unread, Failure(431, "too-large", "the headers are too large"), true);
    default:
      return EncodeResponse(unread, Failure(400, "bad-request", "malformed request"), true);
  }
}

}  // namespace warpsight::server
