#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace warpsight::testing {

// `warpsight view` as a process of its own.
class ServerProcess {
 public:
  // Starts it and waits for the address that it prints. The port is a free one unless it is given.
  explicit ServerProcess(std::vector<std::string> arguments, int port = 0);
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess();

  int port() const { return port_; }
  pid_t process() const { return process_; }
  const std::string& printed() const { return printed_; }  // up to the hint about Ctrl-C
  std::string token() const;                               // of the printed address

  void Signal(int number) const;
  // Its exit code; -1 where it has not ended in time or was ended by a signal.
  int WaitForEnd(std::chrono::seconds patience = std::chrono::seconds(20));
  bool running() const;

 private:
  pid_t process_ = -1;
  int output_ = -1;
  int port_ = 0;
  std::string printed_;
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
