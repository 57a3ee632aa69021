#include "server/connections.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace warpsight::server {

Connection* Connections::Add(int socket, const std::string& peer) {
  const bool crowd = !peer.empty() && CountOf(peer) >= max_per_peer_;
  if ((crowd && !CloseLeastImportant(&peer)) ||
      (connections_.size() >= max_ && !CloseLeastImportant(nullptr))) {
    ::close(socket);
    return nullptr;
  }
  const uint64_t id = next_id_++;
  auto connection = std::make_unique<Connection>(socket, id, peer);
  return connections_.emplace(id, std::move(connection)).first->second.get();
}

Connection* Connections::Find(uint64_t id) {
  const auto it = connections_.find(id);
  return it == connections_.end() ? nullptr : it->second.get();
}

void Connections::Close(uint64_t id) { connections_.erase(id); }

size_t Connections::CountOf(const std::string& peer) const {
  return static_cast<size_t>(
      std::count_if(connections_.begin(), connections_.end(),
                    [&](const auto& entry) { return entry.second->peer() == peer; }));
}

bool Connections::CloseLeastImportant(const std::string* peer) {
  const auto now = Clock::now();
  const auto expendable = [&](const Connection& connection) {
    if (peer != nullptr && connection.peer() != *peer) return false;
    if (connection.phase() == Connection::Phase::kWriting) return connection.ReadsSlowly(now);
    return connection.phase() != Connection::Phase::kWorking;
  };
  const auto rank = [](const Connection& connection) {
    return std::tuple(connection.trusted(), connection.phase() == Connection::Phase::kWriting,
                      connection.since());
  };
  const Connection* least = nullptr;
  for (const auto& [id, connection] : connections_) {
    if (!expendable(*connection)) continue;
    if (least == nullptr || rank(*connection) < rank(*least)) least = connection.get();
  }
  if (least == nullptr) return false;
  Close(least->id());
  return true;
}

size_t Connections::UnsentBytes() const {
  size_t bytes = 0;
  for (const auto& [id, connection] : connections_) bytes += connection->unsent();
  return bytes;
}

void Connections::LimitUnsent(size_t max_bytes) {
  const auto now = Clock::now();
  while (UnsentBytes() > max_bytes) {
    const Connection* slowest = nullptr;
    for (const auto& [id, connection] : connections_) {
      if (!connection->ReadsSlowly(now)) continue;
      if (slowest == nullptr || connection->since() < slowest->since()) slowest = connection.get();
    }
    if (slowest == nullptr) return;
    Close(slowest->id());
  }
}

std::string PeerOf(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "unknown";
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    const auto* bytes = reinterpret_cast<const char*>(&v4.sin_addr);
    return bytes[0] == 127 ? "" : std::string(bytes, sizeof v4.sin_addr);
  }
  if (address.ss_family != AF_INET6) return "unknown";
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  const auto* bytes = reinterpret_cast<const char*>(&v6.sin6_addr);
  if (IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr)) return "";
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    return bytes[12] == 127 ? "" : std::string(bytes + 12, 4);
  }
  return std::string(bytes, 8);  // hosts choose the other half of their address themselves
}

}  // namespace warpsight::server
