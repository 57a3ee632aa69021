#include "server/access_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "server/access.h"
#include "server/login_page.h"

namespace warpsight::server {
namespace {

bool ChangesState(const HttpHead& head) { return head.method != "GET" && head.method != "HEAD"; }

// The only page to which other sites may link. Other spellings of its path do not count.
bool IsViewerPage(const HttpHead& head) { return head.Path() == "/"; }

// Whether the browser says that the request comes from another site, or from another port of this
// host ("same-site").
bool IsCrossOrigin(const HttpHead& head) {
  const std::string_view site = head.Header("sec-fetch-site");
  return !site.empty() && site != "same-origin" && site != "none";
}

bool IsTopLevelNavigation(const HttpHead& head) {
  const std::string_view destination = head.Header("sec-fetch-dest");
  return head.Header("sec-fetch-mode") == "navigate" &&
         (destination.empty() || destination == "document");
}

std::optional<Response> CheckOrigin(const HttpHead& head) {
  const auto refusal = [] {
    return Failure(403, "other-site", "requests from other sites are rejected");
  };
  const std::string_view origin = head.Header("origin");
  const std::string host(head.Header("host"));
  if (head.Has("origin") && origin != "http://" + host && origin != "https://" + host) {
    return refusal();
  }
  if (ChangesState(head) && head.Has("sec-fetch-site") &&
      head.Header("sec-fetch-site") != "same-origin") {
    return refusal();
  }
  if (!IsCrossOrigin(head)) return {};
  if (IsTopLevelNavigation(head) && IsViewerPage(head) && !ChangesState(head)) return {};
  return refusal();
}

// The query without the token.
std::string WithoutToken(std::string_view query) {
  std::string rest;
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty() || PercentDecode(pair.substr(0, pair.find('='))) == "token") continue;
    rest += rest.empty() ? '?' : '&';
    rest += pair;
  }
  return rest;
}

Response Page(int status, std::string text, std::string type = "text/html; charset=utf-8") {
  Response response;
  response.status = status;
  response.type = std::move(type);
  response.keep = Keep::kNever;
  response.body = std::make_shared<const std::string>(std::move(text));
  return response;
}

Response Redirect(std::string location) {
  Response response;
  response.status = 303;
  response.keep = Keep::kNever;
  response.headers.emplace_back("Location", std::move(location));
  return response;
}

Response AskForToken(const HttpHead& head, const Request& request) {
  const bool api = !request.path.empty() && request.path.front() == "api";
  const bool page = !api && head.Header("accept").find("text/html") != std::string_view::npos;
  Response response = page ? Page(401, LoginPage(""))
                           : Failure(401, "no-token",
                                     "a token is required: open the full URL that `warpsight view` "
                                     "printed, or send `Authorization: Bearer`");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace

AccessGuard::AccessGuard(std::string token, bool loopback, int port)
    : token_(std::move(token)),
      loopback_(loopback),
      cookie_name_(fmt::format("warpsight_token_{}", port)) {}

std::optional<Response> AccessGuard::CheckHost(const HttpHead& head) const {
  const auto named = [](const auto& header) { return header.first == "host"; };
  const std::string_view name = HostName(head.Header("host"));
  if (name.empty() || std::count_if(head.headers.begin(), head.headers.end(), named) != 1) {
    return Failure(400, "no-host", "the request must have exactly one Host header");
  }
  if (loopback_ && !IsLoopback(name)) {
    return Failure(403, "wrong-host",
                   "this server answers only requests to localhost; start it with --bind to use "
                   "other host names");
  }
  return {};
}

std::optional<Response> AccessGuard::Check(const HttpHead& head, const Request& request) const {
  if (auto refusal = CheckHost(head)) return refusal;
  if (auto refusal = CheckOrigin(head)) return refusal;
  if (IsLogin(request)) return {};
  if (request.path.size() == 1 && request.path.front() == kReloadScript && !ChangesState(head)) {
    return Page(200, std::string(ReloadScript()), "text/javascript; charset=utf-8");
  }
  return CheckToken(head, request);
}

std::optional<Response> AccessGuard::CheckToken(const HttpHead& head,
                                                const Request& request) const {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view authorization = head.Header("authorization");
  if (authorization.starts_with(kBearer) &&
      SameToken(authorization.substr(kBearer.size()), token_)) {
    return {};
  }
  const bool page = IsViewerPage(head) && !ChangesState(head);
  if (page && SameToken(request.Param("token"), token_)) {
    return Admit("./" + WithoutToken(head.Query()));
  }
  if (SameToken(CookieValue(head.Header("cookie"), cookie_name_), token_)) {
    // Browsers send the origin with such requests. A request with a cookie but without an origin
    // does not come from the viewer.
    if (ChangesState(head) && !head.Has("origin") && !head.Has("sec-fetch-site")) {
      return Failure(403, "other-site",
                     "requests that modify data need `Origin` or `Authorization: Bearer`");
    }
    if (page && request.params.contains(std::string(kReloaded))) return Redirect("./");
    return {};
  }
  // Browsers do not send a SameSite=Strict cookie if a link on another site leads here, but do if
  // this page then reloads itself. A parameter in the URL records the reload, so that it happens
  // only once.
  if (page && IsCrossOrigin(head) && !request.params.contains("token") &&
      !request.params.contains(std::string(kReloaded))) {
    return Page(200, ReloadPage());
  }
  return AskForToken(head, request);
}

bool AccessGuard::IsLogin(const Request& request) {
  return request.method == "POST" && request.path.size() == 1 && request.path.front() == "login";
}

Response AccessGuard::LogIn(const Request& request) const {
  if (SameToken(request.Param("token"), token_)) return Admit("./");
  return Page(
      401, LoginPage("This token is not valid. The viewer creates a new one each time it starts."));
}

Response AccessGuard::Admit(std::string location) const {
  Response response = Redirect(std::move(location));
  response.headers.emplace_back(
      "Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_name_, token_));
  return response;
}

}  // namespace warpsight::server
