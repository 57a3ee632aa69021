#pragma once

#include <httplib.h>

#include <chrono>
#include <functional>
#include <string>

namespace warpsight::server {

// One client's connection, as httplib reads and writes it. It is here, and not httplib's own,
// because of clients that do not behave: the head of a request is read as a whole, within a size
// and a time, before anything looks at it; and what came after a request is kept for the next one.
class Connection : public httplib::Stream {
 public:
  // What came of waiting for a request.
  enum class Head {
    kThere,
    kNone,      // the client left, or said nothing for long
    kLate,      // it began and did not go on
    kLongLine,  // an address without end
    kTooLarge,
    kNonsense,  // no HTTP/1
  };

  // `ending` tells that the server ends, `crowded` that others wait for this connection's thread.
  Connection(socket_t socket, std::function<bool()> ending, std::function<bool()> crowded)
      : socket_(socket), ending_(std::move(ending)), crowded_(std::move(crowded)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  // Closes the socket when the client has had time to read the last answer.
  ~Connection() override;

  Head WaitForRequest();

  // After an answer that leaves part of a request unread: it must not be taken for the next one.
  void CloseAfterAnswer() { closing_ = true; }
  bool closing() const { return closing_; }

  ssize_t read(char* to, size_t size) override;
  ssize_t write(const char* from, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }
  // These two have other names in later versions of httplib.
  bool is_readable() const;  // NOLINT(modernize-use-override)
  bool is_writable() const;  // NOLINT(modernize-use-override)
  bool wait_readable() const { return is_readable(); }
  bool wait_writable() const { return is_writable(); }
  time_t duration() const { return 0; }

 private:
  using Clock = std::chrono::steady_clock;

  bool Wait(short events, Clock::time_point until) const;
  // Waits for the first byte of a request.
  bool WaitIdle() const;
  // Adds what has come to the buffer; false at the end.
  bool Fill();
  Head CheckFirstLine() const;

  socket_t socket_;
  std::function<bool()> ending_, crowded_;
  std::string buffer_;  // what was received and not yet read
  size_t at_ = 0;
  Clock::time_point deadline_{};  // of the request that is being received
  bool closing_ = false;
};

}  // namespace warpsight::server
