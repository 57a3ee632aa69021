#pragma once

#include <string>

#include "base/result.h"

namespace warpsight::server {

// A socket that accepts connections without blocking. If the port is taken, the next ones are
// tried, up to `attempts` ports.
struct ListeningSocket {
  int socket = -1;
  int port = 0;
};
Result<ListeningSocket> Listen(const std::string& address, int port, int attempts);

}  // namespace warpsight::server
