#pragma once

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/viewer.h"

namespace warpsight::testing {

using Params = std::multimap<std::string, std::string>;

// A response and its parsed body.
struct ApiAnswer {
  int status = 0;
  std::string body;
  server::Response response;
  simdjson::dom::element json;  // of JSON responses
  std::string code() const;     // of errors

 private:
  friend class ApiClient;
  std::shared_ptr<simdjson::dom::parser> parser_;
};

// Calls the viewer's API as the HTTP server would, without a network. Thread-safe.
class ApiClient {
 public:
  // Traces are imported as `warpsight view` does it, unless another way is given.
  explicit ApiClient(const std::vector<std::string>& paths, server::Profiles::Import import = {});

  // `path` is a path of docs/api.md, URL-encoded.
  ApiAnswer Get(const std::string& path, Params params = {});
  ApiAnswer Ask(const std::string& method, const std::string& path, Params params = {},
                const std::string& body = "");

  // Waits until an aggregation is computed; returns its state.
  std::string WaitForAggregation(const std::string& profile, const std::string& id);
  // Makes an aggregation and waits for it; returns its id.
  std::string Aggregate(const std::string& profile, Params params);

  server::Viewer& viewer() { return *viewer_; }
  void Close() { viewer_.reset(); }

 private:
  std::unique_ptr<server::Viewer> viewer_;
};

// The text of a key in a JSON object.
std::string TextOf(simdjson::dom::element object, std::string_view key);
int64_t IntegerOf(simdjson::dom::element object, std::string_view key);
// Percent-encodes a text for use in a path: "%2F" for a slash.
std::string Encode(std::string_view text);

}  // namespace warpsight::testing
