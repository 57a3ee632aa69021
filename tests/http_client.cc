#include "http_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace warpsight::testing {
namespace {

using Clock = std::chrono::steady_clock;

sockaddr_in AddressOf(const std::string& address, int port) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(port));
  inet_pton(AF_INET, address.c_str(), &to.sin_addr);
  return to;
}

bool WaitReadable(int file, Clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
  if (left.count() <= 0) return false;
  pollfd polled = {file, POLLIN, 0};
  return ::poll(&polled, 1, static_cast<int>(left.count())) > 0;
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::vector<std::string> ViewCommand(std::vector<std::string> arguments, int port) {
  arguments.insert(arguments.begin(), "view");
  arguments.insert(arguments.end(), {"-p", std::to_string(port == 0 ? FreePort() : port)});
  return arguments;
}

}  // namespace

int FreePort() {
  const int file = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = AddressOf("127.0.0.1", 0);
  socklen_t size = sizeof address;
  ::bind(file, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(file, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(file);
  return ntohs(address.sin_port);
}

ServerProcess::ServerProcess(std::vector<std::string> arguments, int port)
    : program_(ViewCommand(std::move(arguments), port),
               {.output = RunningProgram::Stream::kPiped,
                .errors = RunningProgram::Stream::kInherited,
                .inherit_signals = true}) {
  program_.WaitFor("Ctrl-C", 1, std::chrono::seconds(30));
  const size_t address = printed().find("http://");
  const size_t colon = printed().find(':', address + 7);
  if (address == std::string::npos || colon == std::string::npos) {
    ADD_FAILURE() << "the server does not start: " << printed();
    return;
  }
  port_ = std::atoi(printed().c_str() + colon + 1);
}

ServerProcess::~ServerProcess() {
  Signal(SIGTERM);
  WaitForEnd();
}

std::string ServerProcess::token() const {
  const size_t at = printed().find("?token=");
  return at == std::string::npos ? "" : printed().substr(at + 7, printed().find('\n', at) - at - 7);
}

std::optional<int> ServerProcess::WaitForEnd(std::chrono::seconds patience) {
  return program_.Wait(patience);
}

RawConnection::RawConnection(int port, const std::string& address)
    : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  const sockaddr_in to = AddressOf(address, port);
  EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
}

RawConnection::~RawConnection() { ::close(socket_); }

bool RawConnection::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

void RawConnection::EndSending() { ::shutdown(socket_, SHUT_WR); }

bool RawConnection::Fill(Clock::time_point until) {
  if (!WaitReadable(socket_, until)) return false;
  char block[65536];
  const ssize_t size = ::recv(socket_, block, sizeof block, 0);
  if (size <= 0) {
    ended_ = true;
    return false;
  }
  received_.append(block, static_cast<size_t>(size));
  return true;
}

HttpReply RawConnection::Read(bool head, std::chrono::seconds patience) {
  const auto until = Clock::now() + patience;
  HttpReply reply;
  size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!Fill(until)) {
      reply.closed = ended_;
      return reply;
    }
  }
  std::string lines = received_.substr(0, end + 2);
  received_.erase(0, end + 4);
  reply.status = std::atoi(lines.c_str() + std::min<size_t>(9, lines.size()));
  lines.erase(0, lines.find("\r\n") + 2);
  while (!lines.empty()) {
    const size_t line = lines.find("\r\n");
    const size_t colon = lines.find(": ");
    if (colon < line) {
      reply.headers[Lower(lines.substr(0, colon))] = lines.substr(colon + 2, line - colon - 2);
    }
    lines.erase(0, line + 2);
  }
  size_t length = 0;
  if (reply.headers.contains("content-length"))
    length = std::stoul(reply.headers["content-length"]);
  if (!head && reply.status != 304 && reply.status != 204) {
    while (received_.size() < length && Fill(until)) {
    }
    reply.body = received_.substr(0, length);
    received_.erase(0, length);
  }
  reply.closed = reply.headers["connection"] == "close";
  return reply;
}

bool RawConnection::WaitForClose(std::chrono::milliseconds patience) {
  const auto until = Clock::now() + patience;
  while (Fill(until)) {
  }
  return ended_;
}

}  // namespace warpsight::testing
