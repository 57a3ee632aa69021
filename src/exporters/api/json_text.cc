#include "exporters/api/json_text.h"

#include <charconv>
#include <system_error>

namespace warpsight {
namespace {

bool IsSpecial(char c) { return static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\\'; }

}  // namespace

void JsonText::Microseconds(int64_t nanoseconds) {
  if (nanoseconds < 0) {
    out_.push_back('-');
    nanoseconds = -nanoseconds;
  }
  Integer(nanoseconds / 1000);
  const auto rest = static_cast<int>(nanoseconds % 1000);
  const char decimals[] = {'.', static_cast<char>('0' + rest / 100),
                           static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
  out_.append(decimals, sizeof(decimals));
}

void JsonText::NumberOrText(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, value);
  const bool whole = error == std::errc() && parsed == end && !text.empty();
  if (whole && fmt::format_int(value).str() == text) {
    Raw(text);
  } else {
    Quoted(text);
  }
}

bool IsJsonStringContent(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
      if (i == text.size()) return false;
      constexpr std::string_view kEscapes = "\"\\/bfnrtu";
      if (kEscapes.find(text[i]) == std::string_view::npos) return false;
    } else if (IsSpecial(text[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace warpsight
