#include "server/access.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace warpsight::server {

bool IsLoopback(std::string_view name) {
  std::string address(name);
  for (char& c : address) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return address == "localhost" || address == "::1" || address == "localhost." ||
         (address.starts_with("127.") &&
          address.find_first_not_of("0123456789.") == address.npos) ||
         address.ends_with(".localhost");
}

std::string_view HostName(std::string_view host) {
  if (host.starts_with('[')) {
    const size_t end = host.find(']');
    return end == host.npos ? std::string_view() : host.substr(1, end - 1);
  }
  return host.substr(0, host.rfind(':'));
}

Result<std::string> MakeToken() {
  unsigned char bytes[16];
  static_assert(sizeof bytes <= 256, "getrandom(2) gives up to 256 bytes at once or none");
  ssize_t size = 0;
  do {
    size = getrandom(bytes, sizeof bytes, 0);
  } while (size < 0 && errno == EINTR);
  if (size != sizeof bytes) {
    return Error{fmt::format("cannot create a token: no random numbers: {}", std::strerror(errno))};
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

Status CheckToken(std::string_view token) {
  constexpr size_t kShortest = 32;  // the length of MakeToken()'s tokens
  constexpr size_t kLongest = 256;
  const auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_';
  };
  if (token.size() < kShortest || token.size() > kLongest ||
      !std::all_of(token.begin(), token.end(), plain)) {
    return Error{fmt::format("a token must have {} to {} letters, digits, '-' and '_'", kShortest,
                             kLongest)};
  }
  return {};
}

bool SameToken(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned different = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return different == 0;
}

std::string_view CookieValue(std::string_view cookies, std::string_view name) {
  while (!cookies.empty()) {
    const size_t end = std::min(cookies.find(';'), cookies.size());
    std::string_view cookie = cookies.substr(0, end);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
    while (cookie.starts_with(' ')) cookie.remove_prefix(1);
    if (cookie.size() > name.size() && cookie.starts_with(name) && cookie[name.size()] == '=') {
      return cookie.substr(name.size() + 1);
    }
  }
  return {};
}

}  // namespace warpsight::server
