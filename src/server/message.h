#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsight::server {

// A request independent of HTTP: the offline page and tests send requests without a network.
struct Request {
  std::string method = "GET";
  std::vector<std::string> path;  // decoded parts: {"api", "profiles", "gpt2"}
  std::multimap<std::string, std::string> params;
  std::string body;
  // Becomes true when the response is no longer needed: the client has disconnected, or the server
  // stops. Null if that cannot happen.
  std::shared_ptr<const std::atomic<bool>> cancelled;

  // The parameter's first value, or an empty text.
  std::string_view Param(std::string_view name) const;
};

// How long a browser may cache a response.
enum class Keep : uint8_t {
  kNever,       // for states that change
  kRevalidate,  // the browser asks each time whether its copy is still valid
  kHour,        // the URL identifies the content
  kImmutable,   // for files with their hash in their name
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  // Shared with caches, so that sending it again does not copy it.
  std::shared_ptr<const std::string> body;
  Keep keep = Keep::kRevalidate;
  std::string file_name;       // if not empty, browsers save the response under this name
  std::string_view gzip_body;  // in place of a body: precompressed, with static lifetime
  int retry_after_seconds = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // additional headers
};

Response Json(std::string body, Keep keep = Keep::kRevalidate);
Response Json(std::shared_ptr<const std::string> body);
Response Failure(int status, std::string_view code, std::string_view message);

// The decoded segments of a path.
std::vector<std::string> SplitPath(std::string_view path);
std::string PercentDecode(std::string_view text);

// Adds the parameters of a query or of a form: "a=1&b=x+y%26z".
void AddParams(std::string_view query, std::multimap<std::string, std::string>& params);

}  // namespace warpsight::server
