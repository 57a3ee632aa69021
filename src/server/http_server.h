#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "server/message.h"

namespace warpsight::server {

struct HttpOptions {
  std::string address = "localhost";
  int port = 8000;
  // How many ports to try if the first ones are taken.
  int attempts = 50;
  // The token that clients need; empty: creates a random one.
  std::string token = "";
};

// An HTTP server with access control: accepted host names, the token, and limits on sizes. Requests
// are passed to `handle`, which is called from many threads and may throw.
//
// One thread, the loop, reads requests and writes answers for all connections without blocking.
// Clients that send or read slowly, or open many connections, use only memory, which is bounded.
// Only complete requests of clients that have the token are passed to workers.
class HttpServer {
 public:
  using Handle = std::function<Response(const Request&)>;

  HttpServer(HttpOptions options, Handle handle);
  // Waits for running handlers.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Binds a port. An Error if the address does not exist or no port is free.
  Status Bind();
  int port() const;
  // The URL for browsers, without and with the token.
  std::string url() const;
  std::string UrlWithToken() const;
  const std::string& token() const;

  // Serves requests until Stop() is called, from any thread, before or after Serve(). Then closes
  // all connections, sets Request::cancelled for requests in progress, and returns: immediately if
  // no handler is running, otherwise after a short wait. Returns false if some handlers are still
  // running.
  bool Serve();
  void Stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpsight::server
