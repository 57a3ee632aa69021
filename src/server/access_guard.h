#pragma once

#include <optional>
#include <string>

#include "server/http_request_parser.h"
#include "server/message.h"

namespace warpsight::server {

// Access control: which host names are accepted, which web pages may send requests, and which
// clients have the token. It checks the path in the form in which it is routed, so that no spelling
// of a path can bypass a check. Everything is denied unless a rule allows it. Immutable;
// thread-safe.
class AccessGuard {
 public:
  // `loopback`: whether only this machine can connect. `port` is part of the cookie's name, since
  // browsers send cookies to all ports of a host, and several viewers may run.
  AccessGuard(std::string token, bool loopback, int port);

  // A response that replaces the application's: an error, or a redirect that removes the token from
  // the URL and sets the cookie. nullopt if the request is allowed.
  std::optional<Response> Check(const HttpHead& head, const Request& request) const;

  // Whether the request is the form of the login page. Check() allows it without a token.
  static bool IsLogin(const Request& request);
  Response LogIn(const Request& request) const;

 private:
  std::optional<Response> CheckHost(const HttpHead& head) const;
  std::optional<Response> CheckToken(const HttpHead& head, const Request& request) const;
  Response Admit(std::string location) const;

  std::string token_;
  bool loopback_;
  std::string cookie_name_;
};

}  // namespace warpsight::server
