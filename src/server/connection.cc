#include "server/connection.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

namespace warpsight::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kIdleTimeout{60};     // between two requests of a client that has the token
constexpr seconds kRequestTimeout{10};  // for a complete request, and for the first one to begin
constexpr milliseconds kDrainTimeout{1000};
// The time limit for a response: this, plus its size at this rate.
constexpr seconds kAnswerTimeout{30};
constexpr size_t kSlowestBytesPerSecond = 16 * 1024;
// A client is slow if its rate over this time is lower.
constexpr seconds kSlowAfter{2};
constexpr size_t kSlowBytesPerSecond = 256 * 1024;

constexpr size_t kBlock = 16 * 1024;
// Limits how long sending to one client delays the others.
constexpr size_t kMaxSentPerTurn = 1024 * 1024;
constexpr int kMaxDrainedPerTurn = 16;

bool MustWait(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace

Connection::Connection(int socket, uint64_t id, std::string peer)
    : socket_(socket),
      id_(id),
      peer_(std::move(peer)),
      cancelled_(std::make_shared<std::atomic<bool>>(false)) {
  Enter(Phase::kReading, Clock::now() + kRequestTimeout);
}

Connection::~Connection() {
  cancelled_->store(true);
  ::shutdown(socket_, SHUT_RDWR);  // even if a child process still has a copy of it
  ::close(socket_);
}

void Connection::Enter(Phase phase, Clock::time_point deadline) {
  phase_ = phase;
  since_ = Clock::now();
  deadline_ = deadline;
}

Connection::Outcome Connection::Receive() {
  char block[kBlock];
  for (;;) {
    const ssize_t received = ::recv(socket_, block, sizeof block, 0);
    if (received > 0) {
      parser_.Append({block, static_cast<size_t>(received)});
      return Outcome::kDone;
    }
    if (received < 0 && errno == EINTR) continue;
    return received < 0 && MustWait(errno) ? Outcome::kBlocked : Outcome::kClosed;
  }
}

Connection::Outcome Connection::Drain() {
  char block[kBlock];
  for (int i = 0; i < kMaxDrainedPerTurn;) {
    const ssize_t received = ::recv(socket_, block, sizeof block, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received < 0 && MustWait(errno)) break;
    if (received <= 0) return Outcome::kClosed;
    ++i;
  }
  return Outcome::kBlocked;
}

Connection::Outcome Connection::Send() {
  for (size_t turn = 0; unsent() > 0;) {
    if (turn >= kMaxSentPerTurn) return Outcome::kBlocked;
    const std::string_view head =
        std::string_view(response_.head).substr(std::min(sent_, response_.head.size()));
    const size_t body_sent = sent_ - std::min(sent_, response_.head.size());
    const std::string_view body = response_.body.substr(body_sent, kMaxSentPerTurn);
    iovec parts[] = {{const_cast<char*>(head.data()), head.size()},
                     {const_cast<char*>(body.data()), body.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t sent = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return MustWait(errno) ? Outcome::kBlocked : Outcome::kClosed;
    sent_ += static_cast<size_t>(sent);
    turn += static_cast<size_t>(sent);
  }
  return Outcome::kDone;
}

void Connection::SendContinue() {
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  // The socket's buffer is empty at this point. A client that does not receive this continues after
  // a while.
  [[maybe_unused]] const ssize_t sent =
      ::send(socket_, kContinue.data(), kContinue.size(), MSG_NOSIGNAL);
}

std::shared_ptr<const std::atomic<bool>> Connection::BeginWork() {
  Enter(Phase::kWorking, Clock::time_point::max());
  cancelled_ = std::make_shared<std::atomic<bool>>(false);
  return cancelled_;
}

void Connection::BeginWriting(HttpResponse response) {
  response_ = std::move(response);
  sent_ = 0;
  const seconds allowed(response_.size() / kSlowestBytesPerSecond);
  Enter(Phase::kWriting, Clock::now() + kAnswerTimeout + allowed);
}

void Connection::BeginDraining() {
  response_ = {};
  sent_ = 0;
  ::shutdown(socket_, SHUT_WR);
  Enter(Phase::kDraining, Clock::now() + kDrainTimeout);
}

void Connection::BeginReading() {
  response_ = {};
  sent_ = 0;
  request_started_ = false;
  Enter(Phase::kReading, Clock::now() + (trusted_ ? kIdleTimeout : kRequestTimeout));
  parser_.Next();
}

void Connection::UpdateReadDeadline() {
  if (request_started_ || !parser_.started()) return;
  request_started_ = true;
  Enter(Phase::kReading, Clock::now() + kRequestTimeout);
}

bool Connection::ReadsSlowly(Clock::time_point now) const {
  if (phase_ != Phase::kWriting || now - since_ < kSlowAfter) return false;
  const auto elapsed = std::chrono::duration_cast<milliseconds>(now - since_).count();
  return sent_ * 1000 / static_cast<size_t>(elapsed) < kSlowBytesPerSecond;
}

}  // namespace warpsight::server
