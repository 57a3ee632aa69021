#include "server/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <new>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace warpsight::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

std::unique_ptr<HttpServer> Bound(HttpServer::Handle handle = [](const Request&) {
  return Response();
}) {
  auto server =
      std::make_unique<HttpServer>(HttpOptions{"localhost", 18600, 400}, std::move(handle));
  EXPECT_TRUE(server->Bind().ok());
  return server;
}

// A server that runs in a separate thread.
class Running {
 public:
  explicit Running(HttpServer::Handle handle)
      : server_(Bound(std::move(handle))),
        served_(std::async(std::launch::async, [this] { return server_->Serve(); })) {}
  ~Running() { server_->Stop(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // The time that Serve() takes to return.
  milliseconds Stop() {
    const auto begin = Clock::now();
    server_->Stop();
    ended_idle_ = served_.get();
    return std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
  }
  bool ended_idle() const { return ended_idle_; }

  int Connect() const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(server_->port()));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    return socket;
  }
  std::string RequestFor(std::string_view path) const {
    return fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\r\n",
                       path, server_->token());
  }
  int Send(std::string_view bytes) const {
    const int socket = Connect();
    EXPECT_EQ(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    return socket;
  }
  // The status of the answer, or 0.
  int Ask(std::string_view path, milliseconds timeout = seconds(5)) const {
    const int socket = Send(RequestFor(path));
    pollfd polled = {socket, POLLIN, 0};
    char answer[64] = {};
    if (::poll(&polled, 1, static_cast<int>(timeout.count())) > 0) {
      EXPECT_GT(::recv(socket, answer, sizeof answer - 1, 0), 0);
    }
    ::close(socket);
    return answer[0] == '\0' ? 0 : std::atoi(answer + 9);
  }

 private:
  std::unique_ptr<HttpServer> server_;
  std::future<bool> served_;
  bool ended_idle_ = false;
};

TEST(HttpServerTest, ReturnsImmediatelyIfStoppedBeforeServing) {
  const auto server = Bound();
  server->Stop();
  auto served = std::async(std::launch::async, [&] { return server->Serve(); });
  ASSERT_EQ(served.wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

// A signal may arrive at any moment during startup.
TEST(HttpServerTest, StopsDuringStartup) {
  for (int delay = 0; delay < 200; delay += 5) {
    const auto server = Bound();
    auto served = std::async(std::launch::async, [&] { return server->Serve(); });
    std::this_thread::sleep_for(std::chrono::microseconds(delay));
    server->Stop();
    ASSERT_EQ(served.wait_for(std::chrono::seconds(10)), std::future_status::ready) << delay;
  }
}

// The shortest of a few times: on a busy machine, threads may wait longer for a processor than the
// server takes to stop.
template <typename Measure>
milliseconds Shortest(milliseconds enough, const Measure& measure) {
  milliseconds shortest = measure();
  for (int i = 1; i < 5 && shortest >= enough; ++i) shortest = std::min(shortest, measure());
  return shortest;
}

milliseconds StopWithBusyClientsAndHandlers() {
  std::atomic<bool> release = false;
  std::atomic<int> running = 0;
  Running server([&](const Request&) {
    ++running;
    while (!release) std::this_thread::sleep_for(milliseconds(1));
    return Response();
  });
  std::vector<int> sockets;
  for (int i = 0; i < 50; ++i) {
    sockets.push_back(server.Connect());
    sockets.push_back(server.Send("GET / HTTP/1.1\r\nHo"));
  }
  for (int i = 0; i < 30; ++i) sockets.push_back(server.Send(server.RequestFor("/")));
  while (running < 4) std::this_thread::sleep_for(milliseconds(1));
  const milliseconds time = server.Stop();
  EXPECT_FALSE(server.ended_idle()) << "handlers still run";
  release = true;
  for (const int socket : sockets) ::close(socket);
  return time;
}

TEST(HttpServerTest, StopsImmediatelyWithBusyClientsAndHandlers) {
  constexpr milliseconds kImmediately(500);
  EXPECT_LT(Shortest(kImmediately, StopWithBusyClientsAndHandlers), kImmediately);
}

milliseconds StopWithAHandlerThatListens() {
  std::atomic<int> running = 0;
  Running server([&](const Request& request) {
    ++running;
    while (!request.cancelled->load()) std::this_thread::sleep_for(milliseconds(1));
    return Response();
  });
  const int socket = server.Send(server.RequestFor("/"));
  while (running < 1) std::this_thread::sleep_for(milliseconds(1));
  const milliseconds time = server.Stop();
  EXPECT_TRUE(server.ended_idle());
  ::close(socket);
  return time;
}

TEST(HttpServerTest, HandlersAreNotifiedOfStop) {
  constexpr milliseconds kSoon(250);
  EXPECT_LT(Shortest(kSoon, StopWithAHandlerThatListens), kSoon);
}

TEST(HttpServerTest, HandlersAreNotifiedIfTheClientDisconnects) {
  std::atomic<int> running = 0;
  std::atomic<int> cancelled = 0;
  const Running server([&](const Request& request) {
    ++running;
    while (!request.cancelled->load()) std::this_thread::sleep_for(milliseconds(1));
    ++cancelled;
    return Response();
  });
  const int socket = server.Send(server.RequestFor("/"));
  while (running < 1) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(cancelled, 0);
  ::close(socket);
  for (int i = 0; i < 2000 && cancelled == 0; ++i) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(cancelled, 1);
}

TEST(HttpServerTest, AnExceptionInAHandlerFailsOnlyItsRequest) {
  const Running server([](const Request& request) -> Response {
    if (request.path.front() == "memory") throw std::bad_alloc();
    if (request.path.front() == "error") throw std::runtime_error("no");
    if (request.path.front() == "strange") throw 5;  // NOLINT
    return {};
  });
  EXPECT_EQ(server.Ask("/memory"), 503);
  EXPECT_EQ(server.Ask("/error"), 500);
  EXPECT_EQ(server.Ask("/strange"), 500);
  EXPECT_EQ(server.Ask("/fine"), 200);
}

// If the maximum number of requests is being handled, further ones are rejected immediately.
TEST(HttpServerTest, RejectsRequestsIfTooManyWait) {
  std::atomic<bool> release = false;
  Running server([&](const Request&) {
    while (!release) std::this_thread::sleep_for(milliseconds(1));
    return Response();
  });
  std::vector<int> sockets;
  sockets.reserve(300);
  for (int i = 0; i < 300; ++i) sockets.push_back(server.Send(server.RequestFor("/")));
  EXPECT_EQ(server.Ask("/"), 503);
  release = true;
  for (int i = 0; i < 500 && server.Ask("/") != 200; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_EQ(server.Ask("/"), 200);
  for (const int socket : sockets) ::close(socket);
}

// New connections without the token replace each other, but not connections with the token.
TEST(HttpServerTest, ConnectionsWithoutTokenDoNotReplaceClients) {
  const Running server([](const Request&) { return Response(); });
  const int client = server.Send(server.RequestFor("/"));
  char answer[4096];
  ASSERT_GT(::recv(client, answer, sizeof answer, 0), 0);
  std::vector<int> strangers;
  strangers.reserve(1000);
  for (int i = 0; i < 1000; ++i) {
    strangers.push_back(i % 2 == 0 ? server.Connect() : server.Send("GET / HTTP/1.1\r\nHo"));
  }
  EXPECT_EQ(server.Ask("/"), 200) << "newcomers get in";
  const std::string again = server.RequestFor("/");
  ASSERT_EQ(::send(client, again.data(), again.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(again.size()));
  EXPECT_GT(::recv(client, answer, sizeof answer, 0), 0) << "its connection is still there";
  for (const int socket : strangers) ::close(socket);
  ::close(client);
}

}  // namespace
}  // namespace warpsight::server
