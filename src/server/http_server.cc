#include "server/http_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

#include "server/access.h"
#include "server/connection.h"
#include "server/connection_threads.h"
#include "server/gzip.h"

namespace warpsight::server {
namespace {

// A connection holds a thread while it is open; a browser opens six.
constexpr size_t kThreads = 128;
constexpr size_t kKeepAliveRequests = 1000;
constexpr time_t kKeepAliveSeconds = 5;
constexpr int kBacklog = 512;
constexpr size_t kLargestBody = 64 * 1024;
constexpr size_t kSmallestToCompress = 1024;

// Scripts and data come from this server only, and nobody else's page may show it. Charts write
// styles into their tooltips.
constexpr const char* kContentPolicy =
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

// Whose request this thread is answering.
thread_local Connection* current_connection = nullptr;

// The next request cannot be told from what is left of this one.
void CloseAfterAnswer(httplib::Response& response) {
  response.set_header("Connection", "close");
  if (current_connection != nullptr) current_connection->CloseAfterAnswer();
}

// What was sent instead of a request, as it can be told: httplib is not asked.
std::string_view Reproach(Connection::Head head) {
  switch (head) {
    case Connection::Head::kLate:
      return "408 Request Timeout";
    case Connection::Head::kLongLine:
      return "414 URI Too Long";
    case Connection::Head::kTooLarge:
      return "431 Request Header Fields Too Large";
    case Connection::Head::kNonsense:
      return "400 Bad Request";
    case Connection::Head::kThere:
    case Connection::Head::kNone:
      break;
  }
  return "";
}

// httplib's server with connections of our own.
class Listener : public httplib::Server {
 public:
  Listener() {
    new_task_queue = [this] {
      return threads_ = new ConnectionThreads(kThreads);
    };  // it deletes it
  }

  // httplib listens with a backlog of five: more browsers than that at once wait a second for their
  // connection to be tried again.
  void AcceptMore() { ::listen(svr_sock_, kBacklog); }

 private:
  bool process_and_close_socket(socket_t socket) override {
    Connection connection(
        socket, [this] { return svr_sock_ == INVALID_SOCKET; },
        [this] { return threads_->crowded(); });
    current_connection = &connection;
    for (size_t left = kKeepAliveRequests; left > 0; --left) {
      const Connection::Head head = connection.WaitForRequest();
      if (head != Connection::Head::kThere) {
        Refuse(connection, head);
        break;
      }
      bool closed = false;
      const bool last = left == 1 || threads_->crowded();
      if (!Process(*this, connection, last, closed) || closed || connection.closing()) break;
    }
    current_connection = nullptr;
    return true;
  }

  static void Refuse(Connection& connection, Connection::Head head) {
    const std::string_view reproach = Reproach(head);
    if (reproach.empty()) return;
    const std::string body =
        fmt::format("{{\"code\": \"bad-request\", \"message\": \"{}\"}}\n", reproach.substr(4));
    connection.httplib::Stream::write(
        fmt::format("HTTP/1.1 {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
                    "Connection: close\r\n\r\n{}",
                    reproach, body.size(), body));
    connection.CloseAfterAnswer();
  }

  // Later versions of httplib want to be told the addresses.
  template <typename Self>
  static bool Process(Self& self, Connection& connection, bool last, bool& closed) {
    // Parts of files are of no use here, and a thousand of them in one request are an attack.
    const auto whole = [](httplib::Request& request) { request.ranges.clear(); };
    if constexpr (requires { self.process_request(connection, last, closed, whole); }) {
      return self.process_request(connection, last, closed, whole);
    } else {
      std::string remote;
      std::string local;
      int remote_port = 0;
      int local_port = 0;
      connection.get_remote_ip_and_port(remote, remote_port);
      connection.get_local_ip_and_port(local, local_port);
      return self.process_request(connection, remote, remote_port, local, local_port, last, closed,
                                  whole);
    }
  }

  ConnectionThreads* threads_ = nullptr;
};

std::string_view CacheControl(Keep keep) {
  switch (keep) {
    case Keep::kNot:
      return "no-store";
    case Keep::kRevalidate:
      return "private, no-cache";
    case Keep::kHour:
      return "private, max-age=3600";
    case Keep::kForever:
      return "public, max-age=31536000, immutable";
  }
  return "no-store";
}

// "deflate, gzip;q=0.5": yes; "gzip;q=0": no.
bool AcceptsGzip(const httplib::Request& request) {
  const std::string header = request.get_header_value("Accept-Encoding");
  const size_t at = header.find("gzip");
  if (at == header.npos) return false;
  std::string weight = header.substr(at, header.find(',', at) - at);
  std::erase(weight, ' ');
  return !weight.starts_with("gzip;q=0") ||
         weight.find_first_of("123456789", weight.find('=')) != weight.npos;
}

// Without the body being compressed by httplib (with Brotli at its slowest) and without a copy.
void SetBody(std::shared_ptr<const std::string> body, const std::string& type,
             httplib::Response& to) {
  if (body == nullptr || body->empty()) return;
  const size_t size = body->size();
  to.set_content_provider(
      size, type.c_str(),
      [body = std::move(body)](size_t offset, size_t length, httplib::DataSink& sink) {
        return sink.write(body->data() + offset, length);
      });
}

void Write(const httplib::Request& request, Response from, httplib::Response& to) {
  to.status = from.status;
  to.set_header("Cache-Control", std::string(CacheControl(from.keep)));
  if (from.retry_after_seconds > 0) {
    to.set_header("Retry-After", std::to_string(from.retry_after_seconds));
  }
  if (!from.file_name.empty()) {
    to.set_header("Content-Disposition",
                  fmt::format("attachment; filename=\"{}\"", from.file_name));
  }
  const std::string_view content = from.body == nullptr ? from.gzip_body : *from.body;
  if (content.empty()) return;
  if (from.status == 200 && from.keep != Keep::kNot) {
    // Weak: compressed or not, it is the same.
    const std::string tag = fmt::format("\"{:016x}\"", std::hash<std::string_view>()(content));
    to.set_header("ETag", "W/" + tag);
    if (request.get_header_value("If-None-Match").find(tag) != std::string::npos) {
      to.status = 304;
      return;
    }
  }
  to.set_header("Vary", "Accept-Encoding");
  const bool compressed = from.body == nullptr;
  if (AcceptsGzip(request) && (compressed || content.size() >= kSmallestToCompress)) {
    to.set_header("Content-Encoding", "gzip");
    from.body =
        std::make_shared<const std::string>(compressed ? std::string(content) : Gzip(content));
  } else if (compressed) {
    from.body = std::make_shared<const std::string>(Gunzip(content));
  }
  SetBody(std::move(from.body), from.type, to);
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(HttpOptions options, Handle handle)
      : options_(std::move(options)), handle_(std::move(handle)) {
    if (!IsLoopback(options_.address)) token_ = MakeToken();
    listener_.set_keep_alive_max_count(kKeepAliveRequests);
    listener_.set_keep_alive_timeout(kKeepAliveSeconds);
    listener_.set_payload_max_length(kLargestBody);
    listener_.set_tcp_nodelay(true);
    // Without SO_REUSEPORT, httplib's default, with which two servers share a port unnoticed.
    listener_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    listener_.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                                   {"Referrer-Policy", "no-referrer"},
                                   {"Cross-Origin-Resource-Policy", "same-origin"},
                                   {"Content-Security-Policy", kContentPolicy}});
    listener_.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          return Before(request, response);
        });
    listener_.Post(".*", [this](const httplib::Request& request, httplib::Response& response) {
      Answer(request, response);
    });
    listener_.set_error_handler([](const httplib::Request& request, httplib::Response& response) {
      Refuse(request, response);
    });
  }

  Status Bind() {
    const std::string address = options_.address == "localhost" ? "127.0.0.1" : options_.address;
    for (int i = 0; i < options_.attempts && options_.port + i <= 65535; ++i) {
      if (!listener_.bind_to_port(address, options_.port + i)) {
        if (options_.port == 0 || errno == EADDRNOTAVAIL || errno == EACCES) break;
        continue;
      }
      port_ = options_.port + i;
      listener_.AcceptMore();
      return {};
    }
    return Error{
        fmt::format("cannot listen on {} port {}: {}", options_.address, options_.port,
                    errno == EADDRINUSE ? "it and the next ones are taken" : std::strerror(errno))};
  }

  std::string Url() const {
    std::string host = options_.address;
    if (host == "0.0.0.0" || host == "::") {
      char name[256] = {};
      host = gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
    }
    if (host.find(':') != host.npos) host = '[' + host + ']';
    const std::string query = token_.empty() ? "" : "?token=" + token_;
    return fmt::format("http://{}:{}/{}", host, port_, query);
  }

  void Serve() {
    serving_ = true;
    if (!stopping_) listener_.listen_after_bind();
    serving_ = false;
  }

  void Stop() {
    stopping_ = true;
    // httplib does not hear stop() before it listens.
    while (serving_ && !listener_.is_running()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (serving_) listener_.stop();
  }

  int port() const { return port_; }
  const std::string& token() const { return token_; }

 private:
  using Handled = httplib::Server::HandlerResponse;

  // Before anything of the body is read.
  Handled Before(const httplib::Request& request, httplib::Response& response) {
    const std::string length = request.get_header_value("Content-Length");
    const bool body = (!length.empty() && length != "0") || request.has_header("Transfer-Encoding");
    Response refusal = Guard(request, response);
    if (refusal.status == 200) refusal = CheckBody(request, length);
    if (refusal.status == 200 && body && request.method == "POST") return Handled::Unhandled;
    if (body) CloseAfterAnswer(response);
    if (refusal.status == 200) {
      Answer(request, response);
    } else {
      Write(request, std::move(refusal), response);
    }
    return Handled::Handled;
  }

  // httplib would read bodies that are too long to their end, and wait for the end of those that
  // do not tell their length.
  static Response CheckBody(const httplib::Request& request, const std::string& length) {
    if (request.method != "GET" && request.method != "HEAD" && request.method != "POST" &&
        request.method != "DELETE") {
      return Failure(405, "wrong-method", "there is only GET, POST and DELETE");
    }
    if (request.has_header("Transfer-Encoding")) {
      return Failure(411, "no-length", "say with Content-Length how much you send");
    }
    if (length.empty()) return {};
    size_t bytes = 0;
    const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
    if (end != length.data() + length.size() ||
        request.get_header_value_count("Content-Length") > 1) {
      return Failure(400, "bad-request", "the Content-Length is no length");
    }
    if (error != std::errc() || bytes > kLargestBody) {
      return Failure(413, "too-large", "the request is too large");
    }
    return {};
  }

  // Status 200 where the request may go on.
  Response Guard(const httplib::Request& request, httplib::Response& response) const {
    const std::string host = request.get_header_value("Host");
    if (HostName(host).empty()) return Failure(400, "no-host", "the request names no host");
    if (token_.empty() && !IsLoopback(HostName(host))) {
      return Failure(403, "wrong-host",
                     "this server answers to localhost only; start it with --bind to reach it "
                     "under other names");
    }
    const std::string origin = request.get_header_value("Origin");
    if (!origin.empty() && origin != "http://" + host && origin != "https://" + host) {
      return Failure(403, "other-site", "requests from other sites are refused");
    }
    const bool navigation = request.get_header_value("Sec-Fetch-Mode") == "navigate" &&
                            !request.path.starts_with("/api");
    if (request.get_header_value("Sec-Fetch-Site") == "cross-site" && !navigation) {
      return Failure(403, "other-site", "requests from other sites are refused");
    }
    return token_.empty() ? Response() : CheckToken(request, response);
  }

  // Browsers send cookies to all ports of a host: each viewer there has its own.
  std::string TokenCookie() const { return fmt::format("warpsight_token_{}", port_); }

  Response CheckToken(const httplib::Request& request, httplib::Response& response) const {
    constexpr std::string_view kBearer = "Bearer ";
    const std::string authorization = request.get_header_value("Authorization");
    const std::string cookies = request.get_header_value("Cookie");
    if (request.has_param("token") && SameToken(request.get_param_value("token"), token_)) {
      response.set_header("Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict",
                                                    TokenCookie(), token_));
      return {};
    }
    if (authorization.starts_with(kBearer) &&
        SameToken(std::string_view(authorization).substr(kBearer.size()), token_)) {
      return {};
    }
    if (SameToken(CookieValue(cookies, TokenCookie()), token_)) return {};
    return Failure(401, "no-token",
                   "this needs the token: open the whole address that `warpsight view` printed");
  }

  void Answer(const httplib::Request& from, httplib::Response& to) {
    Request request;
    request.method = from.method == "HEAD" ? "GET" : from.method;
    // The target is still encoded: a slash inside a name is not one between names.
    request.path = SplitPath(std::string_view(from.target).substr(0, from.target.find('?')));
    request.params = {from.params.begin(), from.params.end()};
    request.body = from.body;
    Write(from, handle_(request), to);
  }

  // What httplib itself refuses: it sets the status only.
  static void Refuse(const httplib::Request& request, httplib::Response& response) {
    if (!response.body.empty() || response.has_header("Cache-Control")) return;
    const int status = response.status;
    if (status >= 400) CloseAfterAnswer(response);
    if (status == 413) {
      Write(request, Failure(status, "too-large", "the request is too large"), response);
    } else if (status == 414) {
      Write(request, Failure(status, "too-long", "the address is too long"), response);
    } else if (status >= 400) {
      Write(request, Failure(status, "bad-request", "this is no request that makes sense here"),
            response);
    }
  }

  HttpOptions options_;
  Handle handle_;
  std::string token_;
  int port_ = 0;
  std::atomic<bool> serving_ = false;
  std::atomic<bool> stopping_ = false;
  Listener listener_;
};

HttpServer::HttpServer(HttpOptions options, Handle handle)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(handle))) {}
HttpServer::~HttpServer() = default;

Status HttpServer::Bind() { return impl_->Bind(); }
int HttpServer::port() const { return impl_->port(); }
std::string HttpServer::url() const { return impl_->Url(); }
const std::string& HttpServer::token() const { return impl_->token(); }
void HttpServer::Serve() { impl_->Serve(); }
void HttpServer::Stop() { impl_->Stop(); }

}  // namespace warpsight::server
