#include "importers/chrome/number.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include "importers/chrome/json_text.h"

namespace warpsight::importers::chrome {
namespace {

constexpr int64_t kTimeLimit = int64_t{1} << 61;

bool IsMargin(char c) { return IsSpace(c) || c == '"'; }

std::string_view Trim(std::string_view token) {
  while (!token.empty() && IsMargin(token.back())) token.remove_suffix(1);
  while (!token.empty() && IsMargin(token.front())) token.remove_prefix(1);
  return token;
}

// Converts a number in another form than plain digits, such as with an exponent.
std::optional<int64_t> ScaledReal(std::string_view token, double scale, double limit) {
  const auto real = ParseReal(token);
  if (!real || !(std::abs(*real * scale) < limit)) return std::nullopt;
  return std::llround(*real * scale);
}

}  // namespace

std::optional<double> ParseReal(std::string_view token) {
  token = Trim(token);
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || end != token.data() + token.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<int64_t> ParseMicroseconds(std::string_view token) {
  const char* p = token.data();
  const char* end = p + token.size();
  while (p < end && IsMargin(*p)) ++p;
  const bool negative = p < end && *p == '-';
  if (negative) ++p;
  constexpr int64_t kMicroLimit = kTimeLimit / 1000;
  int64_t value = 0;
  const char* digits = p;
  for (; p < end && *p >= '0' && *p <= '9'; ++p) {
    value = value * 10 + (*p - '0');
    if (value > kMicroLimit) return std::nullopt;
  }
  if (p == digits) return std::nullopt;
  value *= 1000;
  if (p < end && *p == '.') {
    ++p;
    int64_t unit = 100;
    for (; p < end && *p >= '0' && *p <= '9'; ++p) {
      if (unit > 0) {
        value += (*p - '0') * unit;
        unit /= 10;
      } else if (unit == 0) {
        if (*p >= '5') ++value;
        unit = -1;  // further digits do not affect the rounding
      }
    }
  }
  if (p < end && (*p == 'e' || *p == 'E')) {
    return ScaledReal(token, 1000.0, static_cast<double>(kTimeLimit));
  }
  while (p < end && IsMargin(*p)) ++p;
  if (p != end) return std::nullopt;
  return negative ? -value : value;
}

std::optional<int64_t> ParseInteger(std::string_view token) {
  token = Trim(token);
  int64_t value = 0;
  const char* last = token.data() + token.size();
  const auto [end, error] = std::from_chars(token.data(), last, value);
  if (error != std::errc()) return std::nullopt;
  if (end == last) return value;
  const auto real = ParseReal(token);
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!real || std::abs(*real) > kExact || std::trunc(*real) != *real) return std::nullopt;
  return static_cast<int64_t>(*real);
}

std::optional<int64_t> ParseId(std::string_view token) {
  if (const auto number = ParseInteger(token)) return number;
  token = Trim(token);
  const bool hex = token.starts_with("0x") || token.starts_with("0X");
  if (hex) token.remove_prefix(2);
  uint64_t value = 0;
  const char* last = token.data() + token.size();
  const auto [end, error] = std::from_chars(token.data(), last, value, hex ? 16 : 10);
  if (error != std::errc() || end != last) return std::nullopt;
  return static_cast<int64_t>(value);
}

}  // namespace warpsight::importers::chrome
