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

// `warpsight view` as a process of its own.
class ServerProcess {
 public:
  // Starts it and waits for the address that it prints. The port is a free one unless it is given.
  explicit ServerProcess(std::vector<std::string> arguments, int port = 0);
  ~ServerProcess();

  int port() const { return port_; }
  pid_t process() const { return program_.pid(); }
  const std::string& printed() const { return program_.printed(); }
  std::string token() const;  // of the printed address

  void Signal(int number) const { program_.Send(number); }
  // Its exit code; nothing where it has not ended in time.
  std::optional<int> WaitForEnd(std::chrono::seconds patience = std::chrono::seconds(20));

 private:
  RunningProgram program_;
  int port_ = 0;
};

struct HttpReply {
  int status = 0;                              // 0: there was none
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  bool closed = false;  // the server ended the connection after it
};

// A TCP connection, on which any bytes can be sent.
class RawConnection {
 public:
  explicit RawConnection(int port, const std::string& address = "127.0.0.1");
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;
  ~RawConnection();

  // False when the server does not take it any more.
  bool Send(std::string_view bytes);
  void EndSending();
  // The next answer; to a HEAD it has no body.
  HttpReply Read(bool head = false, std::chrono::seconds patience = std::chrono::seconds(20));
  // Whether the server closes the connection, within a time.
  bool WaitForClose(std::chrono::milliseconds patience);

 private:
  bool Fill(std::chrono::steady_clock::time_point until);

  int socket_ = -1;
  std::string received_;
  bool ended_ = false;
};

int FreePort();

}  // namespace warpsight::testing
