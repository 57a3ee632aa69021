#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "server/http_request_parser.h"
#include "server/message.h"

namespace warpsight::server {

// An answer as it goes over the wire.
struct HttpResponse {
  std::string head;
  std::string_view body;
  std::shared_ptr<const std::string> owner;  // of the body, unless it has static lifetime
  bool close = false;                        // the connection, after it

  size_t size() const { return head.size() + body.size(); }
};

// Compressed where the client takes it, and only a 304 where the client has it already. Closes
// the connection where the client asks for that, or `close` does.
HttpResponse EncodeResponse(const HttpHead& request, Response response, bool close);

// The refusal of a request whose head could not be read or did not come in time.
HttpResponse EncodeRefusal(int status);

}  // namespace warpsight::server
