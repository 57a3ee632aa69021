#include "importers/chrome/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "base/utf8.h"

namespace warpsight::importers::chrome {
namespace {

// The four hex digits at text[pos], or -1.
int32_t HexCode(std::string_view text, size_t pos) {
  if (pos + 4 > text.size()) return -1;
  uint32_t code = 0;
  const char* first = text.data() + pos;
  const auto [end, error] = std::from_chars(first, first + 4, code, 16);
  return error == std::errc() && end == first + 4 ? static_cast<int32_t>(code) : -1;
}

// Decodes the \uXXXX at text[pos], and a low surrogate that follows it. Returns the number of
// characters consumed, or 0 if it is not valid.
size_t AppendUnicodeEscape(std::string_view text, size_t pos, std::string& out) {
  const int32_t code = HexCode(text, pos + 2);
  if (code < 0) return 0;
  const bool high = code >= 0xD800 && code < 0xDC00;
  if (high && text.substr(pos + 6, 2) == "\\u") {
    const int32_t low = HexCode(text, pos + 8);
    if (low >= 0xDC00 && low < 0xE000) {
      const int32_t pair = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      AppendUtf8(static_cast<char32_t>(pair), out);
      return 12;
    }
  }
  if (code >= 0xD800 && code < 0xE000) return 0;  // half of a surrogate pair is not a character
  AppendUtf8(static_cast<char32_t>(code), out);
  return 6;
}

// Whether the field at text[pos] is one with which any known writer begins its records.
bool IsRecordField(std::string_view text, size_t pos) {
  for (const std::string_view key :
       {"\"ph\"", "\"name\"", "\"cat\"", "\"pid\"", "\"tid\"", "\"ts\"", "\"args\"", "\"dur\""}) {
    if (text.substr(pos, key.size()) == key) return true;
  }
  return false;
}

// The comma of the "}," before text[pos], or npos.
size_t CommaBefore(std::string_view text, size_t pos) {
  while (pos > 0 && IsSpace(text[pos - 1])) --pos;
  if (pos == 0 || text[pos - 1] != ',') return std::string_view::npos;
  const size_t comma = --pos;
  while (pos > 0 && IsSpace(text[pos - 1])) --pos;
  return pos > 0 && text[pos - 1] == '}' ? comma : std::string_view::npos;
}

// The end of the string that begins at text[pos] (after its quote), npos or kBrokenString.
size_t FindStringEnd(std::string_view text, size_t pos, size_t* broken_at) {
  for (size_t i = pos + 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\n') {
      if (broken_at != nullptr) *broken_at = i;
      return kBrokenString;
    }
    if (text[i] == '\\') ++i;
  }
  return std::string_view::npos;
}

bool ClosesAt(std::string_view text, size_t pos) {
  return pos < text.size() && (text[pos] == '}' || text[pos] == ']');
}

bool IsWordStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsWord(char c) { return IsWordStart(c) || (c >= '0' && c <= '9'); }

}  // namespace

std::string_view Unescape(std::string_view escaped, std::string& buffer) {
  if (escaped.empty() || std::memchr(escaped.data(), '\\', escaped.size()) == nullptr) {
    return escaped;
  }
  buffer.clear();
  for (size_t i = 0; i < escaped.size();) {
    if (escaped[i] != '\\' || i + 1 == escaped.size()) {
      buffer += escaped[i++];
      continue;
    }
    const char next = escaped[i + 1];
    constexpr std::string_view kFrom = "\"\\/bfnrt";
    constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    if (const size_t simple = kFrom.find(next); simple != std::string_view::npos) {
      buffer += kTo[simple];
      i += 2;
    } else if (const size_t used = next == 'u' ? AppendUnicodeEscape(escaped, i, buffer) : 0) {
      i += used;
    } else {
      buffer += escaped[i++];
    }
  }
  return buffer;
}

size_t SkipSpace(std::string_view text, size_t pos) {
  while (pos < text.size() && IsSpace(text[pos])) ++pos;
  return pos;
}

size_t FindValueEnd(std::string_view text, size_t pos, size_t* broken_at) {
  size_t depth = 0;
  for (size_t i = pos; i < text.size(); ++i) {
    switch (text[i]) {
      case '"': {
        const size_t end = FindStringEnd(text, i, broken_at);
        if (depth == 0 || end >= kBrokenString) return end;
        i = end - 1;
        break;
      }
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (depth == 0) return i;  // the end of a scalar
        if (--depth == 0) return i + 1;
        break;
      case ',':
        if (depth == 0) return i;
        break;
      default:
        break;
    }
  }
  return std::string_view::npos;
}

size_t FindRecordStart(std::string_view text, size_t from) {
  for (size_t i = from; i < text.size(); ++i) {
    const void* hit = std::memchr(text.data() + i, '{', text.size() - i);
    if (hit == nullptr) break;
    i = static_cast<size_t>(static_cast<const char*>(hit) - text.data());
    if (IsRecordField(text, SkipSpace(text, i + 1)) &&
        CommaBefore(text, i) != std::string_view::npos) {
      return i;
    }
  }
  return std::string_view::npos;
}

size_t FindLastRecordStart(std::string_view text, size_t* comma) {
  for (size_t i = text.size(); i > 0;) {
    const void* hit = memrchr(text.data(), '{', i);
    if (hit == nullptr) break;
    i = static_cast<size_t>(static_cast<const char*>(hit) - text.data());
    if (!IsRecordField(text, SkipSpace(text, i + 1))) continue;
    *comma = CommaBefore(text, i);
    if (*comma != std::string_view::npos) return i;
  }
  return std::string_view::npos;
}

std::string ShownCharacter(char c) {
  if (c >= ' ' && c <= '~') return fmt::format("'{}'", c);
  return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(c));
}

std::string RepairRecord(std::string_view record) {
  std::string out;
  out.reserve(record.size() + 16);
  bool in_string = false;
  for (size_t i = 0; i < record.size();) {
    const char c = record[i];
    const size_t length = Utf8Length(record, i);
    if (length != 1) {
      out += length == 0 ? kUtf8Replacement : record.substr(i, length);
      i += std::max<size_t>(length, 1);
    } else if (static_cast<unsigned char>(c) < ' ') {
      out += ' ';
      ++i;
    } else if (in_string) {
      out += c;
      ++i;
      if (c == '"') in_string = false;
      if (c == '\\' && i < record.size() && record[i] >= ' ') out += record[i++];
    } else if (c == ',' && ClosesAt(record, SkipSpace(record, i + 1))) {
      ++i;
    } else if (IsWordStart(c)) {
      const size_t word = i;
      while (i < record.size() && IsWord(record[i])) ++i;
      const size_t after = SkipSpace(record, i);
      const bool key = after < record.size() && record[after] == ':';
      if (key) out += '"';
      out += record.substr(word, i - word);
      if (key) out += '"';
    } else {
      out += c;
      ++i;
      in_string = c == '"';
    }
  }
  return out;
}

}  // namespace warpsight::importers::chrome
