#include "server/http_server.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "server/access.h"
#include "server/access_guard.h"
#include "server/connections.h"
#include "server/http_request_parser.h"
#include "server/http_response.h"
#include "server/listening_socket.h"
#include "server/worker_pool.h"

namespace warpsight::server {
namespace {

using std::chrono::milliseconds;
using Clock = Connection::Clock;

// Two SQL statements and a few aggregations may occupy workers for seconds; enough others remain.
constexpr size_t kWorkers = 16;
constexpr size_t kMaxWaitingRequests = 256;
// A browser opens six. This is half of the files that a process may open by default.
constexpr size_t kMaxConnections = 512;
// Limits for answers that were not sent completely: beyond the first one, slow clients are closed;
// beyond the second, requests are rejected.
constexpr size_t kMaxUnsentToSlow = size_t{256} << 20;
constexpr size_t kMaxUnsent = size_t{1} << 30;
constexpr milliseconds kTick{100};  // how often deadlines are checked
constexpr milliseconds kStopTimeout{300};
constexpr int kMaxEvents = 64;
constexpr int kMaxAcceptedPerTurn = 64;

constexpr uint64_t kListenerId = 0;
constexpr uint64_t kWakeId = 1;

size_t MaxConnections() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return kMaxConnections;
  return std::clamp<size_t>(files.rlim_cur / 2, 16, kMaxConnections);
}

// The request as the application sees it, before its body is read.
Request ToRequest(const HttpHead& head) {
  Request request;
  request.method = head.method == "HEAD" ? "GET" : head.method;
  // The target is split before it is decoded, so that an encoded slash is part of a name.
  request.path = SplitPath(head.Path());
  AddParams(head.Query(), request.params);
  return request;
}

void AddBody(const HttpHead& head, std::string body, Request& request) {
  if (head.Header("content-type").starts_with("application/x-www-form-urlencoded")) {
    AddParams(body, request.params);
  }
  request.body = std::move(body);
}

// An error if the request cannot be answered, judging by its head alone.
std::optional<Response> CheckHead(const HttpHead& head) {
  if (head.method != "GET" && head.method != "HEAD" && head.method != "POST" &&
      head.method != "DELETE") {
    return Failure(405, "wrong-method", "only GET, HEAD, POST and DELETE are supported");
  }
  if (!head.target.starts_with('/')) return Failure(400, "bad-request", "malformed request");
  if (head.Has("transfer-encoding")) {
    return Failure(411, "no-length", "send the body with a Content-Length");
  }
  if (head.Has("content-encoding")) {
    return Failure(415, "encoded-body", "compressed bodies are not supported");
  }
  if (head.content_length > kMaxBody) {
    return Failure(413, "too-large", "the body is larger than 64 KB");
  }
  if (head.Has("expect") && head.Header("expect") != "100-continue") {
    return Failure(417, "bad-expectation", "only 100-continue is supported");
  }
  return {};
}

Response Call(const HttpServer::Handle& handle, const Request& request) {
  try {
    return handle(request);
  } catch (const std::bad_alloc&) {
    return Failure(503, "out-of-memory", "there is not enough memory for this");
  } catch (const std::exception& error) {
    return Failure(500, "internal", fmt::format("internal error: {}", error.what()));
  } catch (...) {
    return Failure(500, "internal", "internal error");
  }
}

// Answers of workers for the loop.
class Mailbox {
 public:
  struct Letter {
    uint64_t connection;
    HttpResponse response;
  };

  Mailbox() : wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~Mailbox() { ::close(wake_); }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  int file() const { return wake_; }

  void Put(Letter letter) {
    {
      const std::lock_guard lock(mutex_);
      letters_.push_back(std::move(letter));
    }
    Wake();
  }
  // Async-signal-safe.
  void Wake() const {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
  }
  std::vector<Letter> TakeAll() {
    uint64_t count = 0;
    [[maybe_unused]] const ssize_t size = ::read(wake_, &count, sizeof count);
    const std::lock_guard lock(mutex_);
    return std::exchange(letters_, {});
  }

 private:
  const int wake_;
  std::mutex mutex_;
  std::vector<Letter> letters_;
};

}  // namespace

class HttpServer::Impl {
 public:
  Impl(HttpOptions options, Handle handle)
      : options_(std::move(options)),
        handle_(std::move(handle)),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

  ~Impl() {
    if (listener_ >= 0) ::close(listener_);
    ::close(epoll_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Status Bind() {
    if (options_.token.empty()) {
      auto token = MakeToken();
      if (!token.ok()) return token.error();
      options_.token = *std::move(token);
    }
    const auto listening = Listen(options_.address, options_.port, options_.attempts);
    if (!listening.ok()) return listening.error();
    listener_ = listening->socket;
    port_ = listening->port;
    guard_.emplace(options_.token, IsLoopback(options_.address), port_);
    Watch(EPOLL_CTL_ADD, listener_, kListenerId, EPOLLIN);
    Watch(EPOLL_CTL_ADD, mailbox_.file(), kWakeId, EPOLLIN);
    return {};
  }

  std::string Url() const {
    std::string host = options_.address;
    if (host == "0.0.0.0" || host == "::") {
      char name[256] = {};
      host = ::gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
    }
    if (host.find(':') != host.npos) host = '[' + host + ']';
    return fmt::format("http://{}:{}/", host, port_);
  }

  bool Serve() {
    auto next_tick = Clock::now() + kTick;
    while (!stopping_) {
      epoll_event events[kMaxEvents];
      const int count = ::epoll_wait(epoll_, events, kMaxEvents, static_cast<int>(kTick.count()));
      for (int i = 0; i < count; ++i) Dispatch(events[i]);
      if (Clock::now() < next_tick) continue;
      CloseLate();
      next_tick = Clock::now() + kTick;
    }
    connections_.Clear();
    ::close(std::exchange(listener_, -1));
    workers_.Stop();
    return workers_.WaitUntilIdle(kStopTimeout);
  }

  void Stop() {
    stopping_ = true;
    mailbox_.Wake();
  }

  int port() const { return port_; }
  const std::string& token() const { return options_.token; }

 private:
  void Watch(int operation, int file, uint64_t id, uint32_t events) const {
    epoll_event event{};
    event.events = events;
    event.data.u64 = id;
    ::epoll_ctl(epoll_, operation, file, &event);
  }

  // Sets the events of a connection that the loop waits for.
  void WaitFor(const Connection& connection, uint32_t events) const {
    Watch(EPOLL_CTL_MOD, connection.socket(), connection.id(), events | EPOLLONESHOT);
  }

  void Dispatch(const epoll_event& event) {
    if (event.data.u64 == kListenerId) return Accept();
    if (event.data.u64 == kWakeId) return DeliverAnswers();
    const uint64_t id = event.data.u64;
    if (connections_.Find(id) != nullptr) {
      Protect(id, [&] { OnEvent(*connections_.Find(id), event.events); });
    }
  }

  // If there is not enough memory for a connection, only that connection is closed.
  template <typename Action>
  void Protect(uint64_t id, Action action) {
    try {
      action();
    } catch (const std::exception&) {
      connections_.Close(id);
    }
  }

  void Accept() {
    for (int i = 0; i < kMaxAcceptedPerTurn; ++i) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (socket < 0) {
        const bool no_files = errno == EMFILE || errno == ENFILE;
        if (no_files && connections_.CloseLeastImportant()) continue;
        // All file descriptors are in use: without a pause, accepting would be retried immediately.
        if (no_files) ::usleep(1000);
        return;
      }
      const int yes = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      Connection* connection = connections_.Add(socket, PeerOf(socket));
      if (connection == nullptr) continue;
      Watch(EPOLL_CTL_ADD, socket, connection->id(), 0);
      // Most requests arrive together with the connection. A connection with a request is more
      // important.
      Protect(connection->id(), [&] { OnEvent(*connection, EPOLLIN); });
    }
  }

  void OnEvent(Connection& connection, uint32_t events) {
    switch (connection.phase()) {
      case Connection::Phase::kReading:
        if (connection.Receive() == Connection::Outcome::kClosed) {
          return connections_.Close(connection.id());
        }
        break;
      case Connection::Phase::kWorking:
        // The client has disconnected, or sends nothing more. In both cases it may still accept an
        // answer that is ready soon.
        if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) connection.CancelWork();
        return;
      case Connection::Phase::kWriting:
        break;
      case Connection::Phase::kDraining:
        if (connection.Drain() == Connection::Outcome::kClosed) {
          return connections_.Close(connection.id());
        }
        break;
    }
    Continue(connection);
  }

  // Processes a connection until it has to wait for something.
  void Continue(Connection& connection) {
    for (;;) {
      switch (connection.phase()) {
        case Connection::Phase::kReading:
          if (!TakeRequest(connection)) return WaitFor(connection, EPOLLIN);
          break;
        case Connection::Phase::kWorking:
          return WaitFor(connection, EPOLLRDHUP);
        case Connection::Phase::kWriting:
          switch (connection.Send()) {
            case Connection::Outcome::kBlocked:
              return WaitFor(connection, EPOLLOUT);
            case Connection::Outcome::kClosed:
              return connections_.Close(connection.id());
            case Connection::Outcome::kDone:
              if (connection.closes_after_answer()) {
                connection.BeginDraining();
              } else {
                connection.BeginReading();
              }
          }
          break;
        case Connection::Phase::kDraining:
          return WaitFor(connection, EPOLLIN);
      }
    }
  }

  // False if more data must be received first.
  bool TakeRequest(Connection& connection) {
    HttpRequestParser& parser = connection.parser();
    switch (parser.state()) {
      case HttpRequestParser::State::kReadingHead:
      case HttpRequestParser::State::kReadingBody:
        connection.UpdateReadDeadline();
        return false;
      case HttpRequestParser::State::kMalformed:
        connection.BeginWriting(EncodeRefusal(parser.status()));
        return true;
      case HttpRequestParser::State::kHead:
        TakeHead(connection);
        return true;
      case HttpRequestParser::State::kComplete:
        TakeComplete(connection);
        return true;
    }
    return false;
  }

  // No part of a body is read before the request is allowed.
  void TakeHead(Connection& connection) {
    HttpRequestParser& parser = connection.parser();
    const HttpHead& head = parser.head();
    const Request request = ToRequest(head);
    std::optional<Response> refusal = guard_->Check(head, request);
    if (!refusal && !AccessGuard::IsLogin(request)) connection.Trust();
    if (!refusal) refusal = CheckHead(head);
    if (refusal) {
      // The rest of this request must not be parsed as the next one.
      return connection.BeginWriting(EncodeResponse(head, *std::move(refusal), head.HasBody()));
    }
    if (head.HasBody() && head.method != "POST") return HandOver(connection, true);
    const bool wants_continue = head.Has("expect") && head.HasBody();
    if (parser.ReadBody() == HttpRequestParser::State::kReadingBody && wants_continue) {
      connection.SendContinue();
    }
  }

  void TakeComplete(Connection& connection) {
    const HttpHead& head = connection.parser().head();
    Request request = ToRequest(head);
    if (!AccessGuard::IsLogin(request)) return HandOver(connection, false);
    AddBody(head, connection.parser().TakeBody(), request);
    connection.BeginWriting(EncodeResponse(head, guard_->LogIn(request), false));
  }

  // Lets a worker compute the answer. If the body was not read, the connection is closed
  // afterwards.
  void HandOver(Connection& connection, bool close) {
    HttpHead head = connection.parser().head();
    Request request = ToRequest(head);
    AddBody(head, connection.parser().TakeBody(), request);
    request.cancelled = connection.BeginWork();
    const auto busy = [&] {
      connection.BeginWriting(EncodeResponse(
          connection.parser().head(),
          Failure(503, "busy", "too many concurrent requests; try again in a moment"), close));
    };
    if (connections_.UnsentBytes() > kMaxUnsent) return busy();
    auto task = [this, id = connection.id(), head = std::move(head), request = std::move(request),
                 close] { Answer(id, head, request, close); };
    if (!workers_.Post(std::move(task))) busy();
  }

  // Runs in a worker.
  void Answer(uint64_t id, const HttpHead& head, const Request& request, bool close) {
    HttpResponse response;
    try {
      response = EncodeResponse(head, Call(handle_, request), close);
    } catch (const std::exception&) {  // out of memory
      response.head = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n";
      response.close = true;
    }
    mailbox_.Put({id, std::move(response)});
  }

  void DeliverAnswers() {
    for (Mailbox::Letter& letter : mailbox_.TakeAll()) {
      Connection* connection = connections_.Find(letter.connection);
      if (connection == nullptr) continue;
      Protect(letter.connection, [&] {
        connection->BeginWriting(std::move(letter.response));
        Continue(*connection);
      });
    }
    connections_.LimitUnsent(kMaxUnsentToSlow);
  }

  void CloseLate() {
    const auto now = Clock::now();
    std::vector<uint64_t> late;
    for (const auto& [id, connection] : connections_) {
      if (connection->deadline() <= now) late.push_back(id);
    }
    for (const uint64_t id : late) {
      Connection& connection = *connections_.Find(id);
      if (connection.phase() == Connection::Phase::kReading && connection.parser().started()) {
        Protect(id, [&] {
          connection.BeginWriting(EncodeRefusal(408));
          Continue(connection);
        });
      } else {
        connections_.Close(id);
      }
    }
  }

  HttpOptions options_;
  Handle handle_;
  const int epoll_;
  int listener_ = -1;
  int port_ = 0;
  std::optional<AccessGuard> guard_;
  std::atomic<bool> stopping_ = false;
  Connections connections_{MaxConnections(), MaxConnections() / 2};
  Mailbox mailbox_;
  WorkerPool workers_{kWorkers, kMaxWaitingRequests};  // last: its tasks use the others
};

HttpServer::HttpServer(HttpOptions options, Handle handle)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(handle))) {}
HttpServer::~HttpServer() = default;

Status HttpServer::Bind() { return impl_->Bind(); }
int HttpServer::port() const { return impl_->port(); }
std::string HttpServer::url() const { return impl_->Url(); }
std::string HttpServer::UrlWithToken() const { return impl_->Url() + "?token=" + impl_->token(); }
const std::string& HttpServer::token() const { return impl_->token(); }
bool HttpServer::Serve() { return impl_->Serve(); }
void HttpServer::Stop() { impl_->Stop(); }

}  // namespace warpsight::server
