#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "server/http_request_parser.h"
#include "server/message.h"

namespace warpsight::server {

// An encoded response.
struct HttpResponse {
  std::string head;
  std::string_view body;
  std::shared_ptr<const std::string> owner;  // of the body, unless it has static lifetime
  bool close = false;                        // the connection, after it

  size_t size() const { return head.size() + body.size(); }
};

// Compressed if the client accepts it, and only a 304 if the client has it already. Closes the
// connection if the client requests that or `close` is set.
HttpResponse EncodeResponse(const HttpHead& request, Response response, bool close);

// The refusal of a request whose head could not be read or did not come in time.
HttpResponse EncodeRefusal(int status);

}  // namespace warpsight::server
