#pragma once

#include <optional>
#include <string>

#include "server/http_request_parser.h"
#include "server/message.h"

namespace warpsight::server {

// Decides who gets in: which names of this host are answered to, which web pages may ask, and who
// has the token. It judges the path in the form in which it is then routed, so that no spelling of
// a path is guarded as one thing and served as another. Everything is refused unless a rule allows
// it. Immutable; safe from many threads.
class AccessGuard {
 public:
  // `loopback`: whether only this machine can connect. `port` tells the cookies of several viewers
  // apart: browsers send cookies to all ports of a host.
  AccessGuard(std::string token, bool loopback, int port);

  // What to answer in place of the application: a refusal, or a redirect that takes the token out
  // of the address and sets the cookie. Nothing where the request may go on.
  std::optional<Response> Check(const HttpHead& head, const Request& request) const;

  // The form of the page that asks for the token. Check() lets it pass without one.
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
