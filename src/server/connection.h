#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "server/http_request_parser.h"
#include "server/http_response.h"

namespace warpsight::server {

// One client's connection: its non-blocking socket, the received data and the data to be sent. Used
// only by the server's loop.
class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  enum class Phase {
    kReading,   // reading a request, or waiting for one
    kWorking,   // a worker computes the answer
    kWriting,   // sending the answer
    kDraining,  // everything was sent; closing with unread data would discard the answer
  };
  enum class Outcome { kDone, kBlocked, kClosed };

  // Takes ownership of the socket.
  Connection(int socket, uint64_t id, std::string peer);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int socket() const { return socket_; }
  uint64_t id() const { return id_; }
  // The client: an address, or a network whose addresses may all belong to one host.
  const std::string& peer() const { return peer_; }
  Phase phase() const { return phase_; }
  HttpRequestParser& parser() { return parser_; }

  // Whether the client has sent the token.
  bool trusted() const { return trusted_; }
  void Trust() { trusted_ = true; }

  // Reads the available data, up to a limit per turn. kDone: something was read.
  Outcome Receive();
  // Reads and discards the available data.
  Outcome Drain();
  // Sends the remaining data, up to a limit per turn.
  Outcome Send();

  // True if the client no longer waits for the response that is being computed.
  std::shared_ptr<const std::atomic<bool>> BeginWork();
  void BeginWriting(HttpResponse response);
  void BeginDraining();
  // Continues after an answer with the data that followed the request.
  void BeginReading();
  void SendContinue();
  void CancelWork() { cancelled_->store(true); }

  // When it is closed if nothing happens; Clock::time_point::max() while a worker computes the
  // answer.
  Clock::time_point deadline() const { return deadline_; }
  // Starts the time limit of a request with its first byte.
  void UpdateReadDeadline();
  // The time at which the current phase began.
  Clock::time_point since() const { return since_; }
  size_t unsent() const { return response_.size() - sent_; }
  // Whether the client reads its answer so slowly that few such clients could be served.
  bool ReadsSlowly(Clock::time_point now) const;
  bool closes_after_answer() const { return response_.close; }

 private:
  void Enter(Phase phase, Clock::time_point deadline);

  const int socket_;
  const uint64_t id_;
  const std::string peer_;
  Phase phase_ = Phase::kReading;
  HttpRequestParser parser_;
  bool request_started_ = false;
  bool trusted_ = false;
  HttpResponse response_;
  size_t sent_ = 0;
  Clock::time_point since_;
  Clock::time_point deadline_;
  std::shared_ptr<std::atomic<bool>> cancelled_;
};

}  // namespace warpsight::server
