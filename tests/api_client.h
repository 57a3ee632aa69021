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

// An answer with its body read.
struct ApiAnswer {
  int status = 0;
  std::string body;
  server::Response response;
  simdjson::dom::element json;  // of answers that are JSON
  std::string code() const;     // of failures

 private:
  friend class ApiClient;
  std::shared_ptr<simdjson::dom::parser> parser_;
};

// Asks the viewer's API as the HTTP server would, without a network. Safe from many threads.
class ApiClient {
 public:
  // Traces are imported as `warpsight view` does it, unless another way is given.
  explicit ApiClient(const std::vector<std::string>& paths, server::Profiles::Import import = {});

  // `path` is one of docs/api.md, encoded.
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

// A text of a JSON object.
std::string TextOf(simdjson::dom::element object, std::string_view key);
int64_t IntegerOf(simdjson::dom::element object, std::string_view key);
// "%2F" for a slash: any text as a part of a path.
std::string Encode(std::string_view text);

}  // namespace warpsight::testing
