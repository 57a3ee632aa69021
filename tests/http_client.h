#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "running_program.h"

namespace warpsight::testing {

// `warpsight view` as a child process.
class ServerProcess {
 public:
  // Starts it and waits for the printed address. By default, the port is a free one.
  explicit ServerProcess(std::vector<std::string> arguments, int port = 0);
  ~ServerProcess();

  int port() const { return port_; }
  pid_t process() const { return program_.pid(); }
  const std::string& printed() const { return program_.printed(); }
  std::string token() const;  // of the printed address

  void Signal(int number) const { program_.Send(number); }
  // Its exit code, or nothing if it has not ended in time.
  std::optional<int> WaitForEnd(std::chrono::seconds patience = std::chrono::seconds(20));

 private:
  RunningProgram program_;
  int port_ = 0;
};

struct HttpReply {
  int status = 0;                              // 0: no reply
  std::map<std::string, std::string> headers;  // names in lowercase
  std::string body;
  bool closed = false;  // the server closed the connection afterward
};

// A TCP connection, on which any bytes can be sent.
class RawConnection {
 public:
  explicit RawConnection(int port, const std::string& address = "127.0.0.1");
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;
  ~RawConnection();

  // False if the server no longer accepts data.
  bool Send(std::string_view bytes);
  void EndSending();
  // The next reply; a reply to HEAD has no body.
  HttpReply Read(bool head = false, std::chrono::seconds patience = std::chrono::seconds(20));
  // Whether the server closes the connection in time.
  bool WaitForClose(std::chrono::milliseconds patience);

 private:
  bool Fill(std::chrono::steady_clock::time_point until);

  int socket_ = -1;
  std::string received_;
  bool ended_ = false;
};

int FreePort();

}  // namespace warpsight::testing
