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
  std::shared_ptr<const std::string> owner;  // of the body, unless that has static lifetime
  bool close = false;                        // whether to close the connection after it

  size_t size() const { return head.size() + body.size(); }
};

// Compresses the body if the client accepts that; returns only a 304 if the client already has the
// content. Closes the connection if the client requests it or `close` is set.
HttpResponse EncodeResponse(const HttpHead& request, Response response, bool close);

// The response to a request whose head is malformed, too large or did not arrive in time.
HttpResponse EncodeRefusal(int status);

}  // namespace warpsight::server
