#include "server/message.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_text.h"

namespace warpsight::server {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string_view Request::Param(std::string_view name) const {
  const auto it = params.find(std::string(name));
  return it == params.end() ? std::string_view() : std::string_view(it->second);
}

Response Json(std::string body, Keep keep) {
  Response response;
  response.body = std::make_shared<const std::string>(std::move(body));
  response.keep = keep;
  return response;
}

Response Json(std::shared_ptr<const std::string> body) {
  Response response;
  response.body = std::move(body);
  return response;
}

Response Failure(int status, std::string_view code, std::string_view message) {
  Response response = Json(
      fmt::format("{{\"code\": {}, \"message\": {}}}\n", JsonString(code), JsonString(message)),
      Keep::kNever);
  response.status = status;
  if (status == 503) response.retry_after_seconds = 1;
  return response;
}

std::string PercentDecode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 &&
        HexDigit(text[i + 2]) >= 0) {
      decoded += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

void AddParams(std::string_view query, std::multimap<std::string, std::string>& params) {
  const auto decode = [](std::string_view part) {
    std::string text(part);
    std::replace(text.begin(), text.end(), '+', ' ');
    return PercentDecode(text);
  };
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    params.emplace(decode(pair.substr(0, equals)),
                   decode(pair.substr(std::min(equals + 1, pair.size()))));
  }
}

std::vector<std::string> SplitPath(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    if (slash > 0) parts.push_back(PercentDecode(path.substr(0, slash)));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return parts;
}

}  // namespace warpsight::server
