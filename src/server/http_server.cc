#include "server/http_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "server/access.h"
#include "server/gzip.h"

namespace warpsight::server {
namespace {

// A connection holds a thread while it is open; a browser opens six.
constexpr size_t kThreads = 64;
constexpr size_t kKeepAliveRequests = 1000;
constexpr time_t kKeepAliveSeconds = 5;
constexpr time_t kPatienceSeconds = 10;  // with a client that reads or writes slowly
constexpr int kBacklog = 512;
constexpr size_t kLargestBody = 64 * 1024;
constexpr size_t kSmallestToCompress = 1024;
constexpr std::string_view kTokenCookie = "warpsight_token";

// Scripts and data come from this server only, and nobody else's page may show it. Charts write
// styles into their tooltips.
constexpr const char* kContentPolicy =
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

// Threads for connections. httplib's own pool differs between its versions.
class Connections : public httplib::TaskQueue {
 public:
  Connections() {
    for (size_t i = 0; i < kThreads; ++i) threads_.emplace_back([this] { Work(); });
  }

  // Returns bool in later versions of httplib.
  using Enqueued =
      decltype(std::declval<httplib::TaskQueue&>().enqueue(std::declval<std::function<void()>>()));
  Enqueued enqueue(std::function<void()> task) override {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
    return Enqueued(true);
  }

  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void Work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

// httplib listens with a backlog of five: more browsers than that at once wait a second for their
// connection to be tried again.
class Listener : public httplib::Server {
 public:
  void AcceptMore() { ::listen(svr_sock_, kBacklog); }
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

bool Accepts(const httplib::Request& request, std::string_view encoding) {
  return request.get_header_value("Accept-Encoding").find(encoding) != std::string::npos;
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
    const std::string tag = fmt::format("\"{:016x}\"", std::hash<std::string_view>()(content));
    to.set_header("ETag", tag);
    if (request.get_header_value("If-None-Match").find(tag) != std::string::npos) {
      to.status = 304;
      return;
    }
  }
  to.set_header("Vary", "Accept-Encoding");
  const bool compressed = from.body == nullptr;
  if (Accepts(request, "gzip") && (compressed || content.size() >= kSmallestToCompress)) {
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
    listener_.new_task_queue = [] { return new Connections; };  // httplib deletes it
    listener_.set_keep_alive_max_count(kKeepAliveRequests);
    listener_.set_keep_alive_timeout(kKeepAliveSeconds);
    listener_.set_read_timeout(kPatienceSeconds);
    listener_.set_write_timeout(kPatienceSeconds);
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
    const auto with_body = [this](const httplib::Request& request, httplib::Response& response) {
      Answer(request, response);
    };
    listener_.Post(".*", with_body);
    listener_.Delete(".*", with_body);
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

  void Serve() { listener_.listen_after_bind(); }
  void Stop() { listener_.stop(); }
  int port() const { return port_; }
  const std::string& token() const { return token_; }

 private:
  using Handled = httplib::Server::HandlerResponse;

  // Before anything of the body is read.
  Handled Before(const httplib::Request& request, httplib::Response& response) {
    if (const Response refusal = Guard(request, response); refusal.status != 200) {
      Write(request, refusal, response);
      return Handled::Handled;
    }
    if (request.method == "POST" || request.method == "DELETE") return Handled::Unhandled;
    if (request.method != "GET" && request.method != "HEAD") {
      Write(request, Failure(405, "wrong-method", "there is only GET, POST and DELETE"), response);
    } else {
      Answer(request, response);
    }
    return Handled::Handled;
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

  Response CheckToken(const httplib::Request& request, httplib::Response& response) const {
    constexpr std::string_view kBearer = "Bearer ";
    const std::string authorization = request.get_header_value("Authorization");
    const std::string cookies = request.get_header_value("Cookie");
    if (request.has_param("token") && SameToken(request.get_param_value("token"), token_)) {
      response.set_header("Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict",
                                                    kTokenCookie, token_));
      return {};
    }
    if (authorization.starts_with(kBearer) &&
        SameToken(std::string_view(authorization).substr(kBearer.size()), token_)) {
      return {};
    }
    if (SameToken(CookieValue(cookies, kTokenCookie), token_)) return {};
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
