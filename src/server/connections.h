#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "server/connection.h"

namespace warpsight::server {

// The open connections, within limits. When there are too many, the least important ones are closed
// for new ones: first those without the token, then idle ones and clients that read their responses
// slowly; the oldest first. Used by the server's loop only.
class Connections {
 public:
  using Clock = Connection::Clock;

  Connections(size_t max, size_t max_per_peer) : max_(max), max_per_peer_(max_per_peer) {}

  // Null if all other connections are more important; the socket is then closed.
  Connection* Add(int socket, const std::string& peer);
  Connection* Find(uint64_t id);
  void Close(uint64_t id);
  void Clear() { connections_.clear(); }
  // Returns false if no connection may be closed.
  bool CloseLeastImportant() { return CloseLeastImportant(nullptr); }
  // Closes clients that read their answers slowly, the slowest first, until the unsent answers have
  // at most this size or no such client is left.
  void LimitUnsent(size_t max_bytes);
  size_t UnsentBytes() const;

  size_t size() const { return connections_.size(); }
  auto begin() { return connections_.begin(); }
  auto end() { return connections_.end(); }

 private:
  // Only connections of this peer, unless it is null.
  bool CloseLeastImportant(const std::string* peer);
  size_t CountOf(const std::string& peer) const;

  const size_t max_, max_per_peer_;
  // Lower ids belong to the loop itself.
  uint64_t next_id_ = 16;
  std::unordered_map<uint64_t, std::unique_ptr<Connection>> connections_;
};

// The peer of a socket for Connections; empty for this machine, which has no separate limit.
std::string PeerOf(int socket);

}  // namespace warpsight::server
