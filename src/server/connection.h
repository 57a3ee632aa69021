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

// One client's connection: its socket, which never blocks, what was received and what is still to
// be sent. Used by the server's loop only.
class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  enum class Phase {
    kReading,   // a request, or waiting for one
    kWorking,   // a worker makes the answer
    kWriting,   // the answer
    kDraining,  // everything is sent; closing while something is unread would take it back
  };
  enum class Outcome { kDone, kBlocked, kClosed };

  // Takes the socket.
  Connection(int socket, uint64_t id, std::string peer);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int socket() const { return socket_; }
  uint64_t id() const { return id_; }
  // Who it is from: an address, or a network of addresses that one host can have.
  const std::string& peer() const { return peer_; }
  Phase phase() const { return phase_; }
  HttpRequestParser& parser() { return parser_; }

  // Whether it has shown the token.
  bool trusted() const { return trusted_; }
  void Trust() { trusted_ = true; }

  // Reads what is there, as far as a turn goes. kDone: something was read.
  Outcome Receive();
  // Throws away what is there.
  Outcome Drain();
  // Sends what is left, as far as a turn goes.
  Outcome Send();

  // True if the client no longer waits for the response that is being computed.
  std::shared_ptr<const std::atomic<bool>> BeginWork();
  void BeginWriting(HttpResponse response);
  void BeginDraining();
  // After an answer: goes on with what came after the request.
  void BeginReading();
  void SendContinue();
  void CancelWork() { cancelled_->store(true); }

  // When it is closed unless something happens; Clock::time_point::max() while a worker has it.
  Clock::time_point deadline() const { return deadline_; }
  // Starts the clock of a request with its first byte.
  void UpdateReadDeadline();
  // Since when it is in its phase.
  Clock::time_point since() const { return since_; }
  size_t unsent() const { return response_.size() - sent_; }
  // Whether the client takes its answer at a rate at which only few such clients can be served.
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
