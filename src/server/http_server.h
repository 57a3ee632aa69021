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
};

// Speaks HTTP and guards the door: which hosts may be named, who has the token, how much may be
// sent. What is asked goes to `handle`, which is called from many threads and must not throw.
class HttpServer {
 public:
  using Handle = std::function<Response(const Request&)>;

  HttpServer(HttpOptions options, Handle handle);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Takes a port. An Error where the address does not exist or no port is free.
  Status Bind();
  int port() const;
  // Where to point a browser; with the token where one is needed.
  std::string url() const;
  // Empty while bound to loopback.
  const std::string& token() const;

  // Answers until Stop() is called, from any thread, before or after Serve().
  void Serve();
  void Stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpsight::server
