#pragma once

#include <string>

#include "base/result.h"

namespace warpsight::server {

// A socket that accepts connections without blocking. Tries this port and the next ones, as many
// as `attempts`, where they are taken.
struct ListeningSocket {
  int socket = -1;
  int port = 0;
};
Result<ListeningSocket> Listen(const std::string& address, int port, int attempts);

}  // namespace warpsight::server
