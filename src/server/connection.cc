#include "server/connection.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace warpsight::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kIdle{5};          // between two requests
constexpr seconds kPatience{10};     // for a whole request, and for each part of an answer
constexpr milliseconds kGlance{50};  // how often to see whether the server ends
constexpr milliseconds kFarewell{1000};
constexpr size_t kLongestLine = 8192;  // httplib's own limit
constexpr size_t kLargestHead = 32 * 1024;
constexpr size_t kBlock = 16 * 1024;

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

void NameOf(const sockaddr_storage& address, socklen_t size, std::string& ip, int& port) {
  char name[NI_MAXHOST] = {};
  char service[NI_MAXSERV] = {};
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, name, sizeof name, service,
                  sizeof service, NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return;
  }
  ip = name;
  port = std::atoi(service);
}

}  // namespace

Connection::~Connection() {
  ::shutdown(socket_, SHUT_WR);
  if (closing_) {
    // Closing while something is unread would take the answer from the client.
    const auto until = Clock::now() + kFarewell;
    char block[kBlock];
    while (Wait(POLLIN, until) && ::recv(socket_, block, sizeof block, 0) > 0) {
    }
  }
  ::close(socket_);
}

bool Connection::Wait(short events, Clock::time_point until) const {
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - Clock::now());
    if (left.count() <= 0 || ending_()) return false;
    pollfd polled = {socket_, events, 0};
    const int ready = ::poll(&polled, 1, static_cast<int>(std::min(left, kGlance).count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool Connection::WaitIdle() const {
  const auto until = Clock::now() + kIdle;
  while (Clock::now() < until) {
    if (Wait(POLLIN, Clock::now() + kGlance)) return true;
    if (ending_() || crowded_()) return false;
  }
  return false;
}

bool Connection::Fill() {
  const size_t size = buffer_.size();
  buffer_.resize(size + kBlock);
  ssize_t received = 0;
  do {
    received = ::recv(socket_, buffer_.data() + size, kBlock, 0);
  } while (received < 0 && errno == EINTR);
  buffer_.resize(size + static_cast<size_t>(std::max<ssize_t>(received, 0)));
  return received > 0;
}

// "GET /x HTTP/1.1", as far as it is there. So that whoever speaks something else is told at once.
Connection::Head Connection::CheckFirstLine() const {
  const std::string_view text(buffer_);
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  if (line.size() > kLongestLine) return Head::kLongLine;
  const size_t method = line.find(' ');
  const std::string_view name = line.substr(0, method);
  if (name.size() > 16 || !std::all_of(name.begin(), name.end(), IsUpper)) return Head::kNonsense;
  if (end == text.npos) return Head::kThere;
  const size_t version = line.rfind(' ');
  if (method == line.npos || version == method) return Head::kNonsense;
  const std::string_view protocol = line.substr(version + 1);
  return protocol == "HTTP/1.1\r" || protocol == "HTTP/1.0\r" ? Head::kThere : Head::kNonsense;
}

Connection::Head Connection::WaitForRequest() {
  buffer_.erase(0, at_);
  at_ = 0;
  if (buffer_.empty() && (!WaitIdle() || !Fill())) return Head::kNone;
  deadline_ = Clock::now() + kPatience;
  for (;;) {
    // An empty line before a request is forgiven (RFC 9112, 2.2).
    while (buffer_.starts_with("\r\n")) buffer_.erase(0, 2);
    const Head line = CheckFirstLine();
    if (line != Head::kThere) return line;
    if (const size_t end = buffer_.find("\r\n\r\n"); end != buffer_.npos) {
      return end > kLargestHead ? Head::kTooLarge : Head::kThere;
    }
    if (buffer_.size() > kLargestHead) return Head::kTooLarge;
    if (!Wait(POLLIN, deadline_)) return Head::kLate;
    if (!Fill()) return Head::kNone;
  }
}

ssize_t Connection::read(char* to, size_t size) {
  if (at_ == buffer_.size()) {
    buffer_.clear();
    at_ = 0;
    if (!Wait(POLLIN, deadline_)) return -1;
    return ::recv(socket_, to, size, 0);
  }
  const size_t taken = std::min(size, buffer_.size() - at_);
  std::memcpy(to, buffer_.data() + at_, taken);
  at_ += taken;
  return static_cast<ssize_t>(taken);
}

ssize_t Connection::write(const char* from, size_t size) {
  if (!is_writable()) return -1;
  return ::send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool Connection::is_readable() const {
  return at_ < buffer_.size() || Wait(POLLIN, Clock::now() + kPatience);
}

bool Connection::is_writable() const { return Wait(POLLOUT, Clock::now() + kPatience); }

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return;
  NameOf(address, size, ip, port);
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return;
  NameOf(address, size, ip, port);
}

}  // namespace warpsight::server
