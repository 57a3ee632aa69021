#include "server/listening_socket.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

namespace warpsight::server {
namespace {

// With a shorter queue, if more browsers connect at once, some wait a second until they retry.
constexpr int kBacklog = 512;

// Returns a socket, or -1 and sets errno.
int ListenOn(const addrinfo& address) {
  const int socket = ::socket(address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
                              address.ai_protocol);
  if (socket < 0) return -1;
  const int yes = 1;
  const int no = 0;
  // Without SO_REUSEPORT, which would let two servers share a port unnoticed.
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (address.ai_family == AF_INET6) {
    ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  }
  if (::bind(socket, address.ai_addr, address.ai_addrlen) == 0 && ::listen(socket, kBacklog) == 0) {
    return socket;
  }
  const int error = errno;
  ::close(socket);
  errno = error;
  return -1;
}

}  // namespace

Result<ListeningSocket> Listen(const std::string& address, int port, int attempts) {
  const std::string host = address == "localhost" ? "127.0.0.1" : address;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  const auto failure = [&](std::string_view why) {
    return Error{fmt::format("cannot listen on {} port {}: {}", address, port, why)};
  };
  std::string last = "no port is free";
  for (int i = 0; i < attempts && port + i <= 65535; ++i) {
    addrinfo* found = nullptr;
    const int unknown =
        ::getaddrinfo(host.c_str(), std::to_string(port + i).c_str(), &hints, &found);
    if (unknown != 0) return failure(::gai_strerror(unknown));
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, ::freeaddrinfo);
    const int socket = ListenOn(*addresses);
    if (socket >= 0) return ListeningSocket{socket, port + i};
    if (errno != EADDRINUSE) return failure(std::strerror(errno));
    last = "it and the next ones are taken";
  }
  return failure(last);
}

}  // namespace warpsight::server
