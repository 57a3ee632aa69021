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
  // How many ports to try when the first is taken.
  int attempts = 50;
  // What clients must show; empty: a new one that nobody can guess.
  std::string token = "";
};

// Speaks HTTP and guards the door: which hosts may be named, who has the token, how much may be
// sent. Requests go to `handle`, which is called from many threads and may throw.
//
// One thread, the loop, reads requests and writes answers of all connections without ever
// blocking: clients that send or read slowly, or open many connections, cost nothing but memory,
// which is bounded. Only complete requests of clients that have the token are given to a worker.
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
  // all connections, sets Request::cancelled of what is still being handled, and returns at once
  // where handlers end, else after a moment. False where some have not ended by then.
  bool Serve();
  void Stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpsight::server
