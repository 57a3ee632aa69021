#include "exporters/api/json_text.h"

#include <array>
#include <charconv>
#include <system_error>

#include "base/utf8.h"

namespace warpsight {
namespace {

constexpr std::array<bool, 256> MakeSpecial() {
  std::array<bool, 256> special{};
  for (size_t c = 0; c < 0x20; ++c) special[c] = true;
  special['"'] = special['\\'] = true;
  return special;
}
constexpr std::array<bool, 256> kSpecial = MakeSpecial();

bool IsSpecial(char c) { return kSpecial[static_cast<unsigned char>(c)]; }

std::string EscapeOf(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      return fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
}

}  // namespace

void JsonText::Escaped(std::string_view bytes) {
  std::string repaired;
  const std::string_view text = ValidUtf8(bytes, repaired);
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!IsSpecial(text[i])) continue;
    out_.append(text.substr(begin, i - begin));
    out_.append(EscapeOf(text[i]));
    begin = i + 1;
  }
  out_.append(text.substr(begin));
}

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
