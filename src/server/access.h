#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace warpsight::server {

// "127.0.0.1", "::1", "localhost" and the like.
bool IsLoopback(std::string_view address);

// The name in a Host header without its port: "::1" for "[::1]:8000". Empty if there is none.
std::string_view HostName(std::string_view host);

// 128 random bits as text.
Result<std::string> MakeToken();

// Whether a token that the user chose is long enough and can be part of a URL.
Status CheckToken(std::string_view token);

// Constant-time comparison.
bool SameToken(std::string_view a, std::string_view b);

// The value of a cookie in a Cookie header, or an empty text.
std::string_view CookieValue(std::string_view cookies, std::string_view name);

}  // namespace warpsight::server
