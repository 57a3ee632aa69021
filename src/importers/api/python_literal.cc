#include "importers/api/python_literal.h"

#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include "base/utf8.h"

namespace warpsight {
namespace {

constexpr int kDeepest = 16;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool ReadAll(PythonValue& value) {
    if (!Read(value, 0)) return false;
    Skip();
    return AtEnd();
  }

 private:
  bool AtEnd() const { return at_ >= text_.size(); }

  void Skip() {
    while (!AtEnd() && static_cast<unsigned char>(text_[at_]) <= ' ') ++at_;
  }

  bool Take(char c) {
    if (AtEnd() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool Read(PythonValue& value, int depth) {
    Skip();
    if (AtEnd() || depth > kDeepest) return false;
    switch (text_[at_]) {
      case '{':
        return ReadItems(value, PythonValue::Kind::kDict, '}', depth);
      case '[':
        return ReadItems(value, PythonValue::Kind::kList, ']', depth);
      case '(':
        return ReadItems(value, PythonValue::Kind::kTuple, ')', depth);
      case '\'':
      case '"':
        ReadText(value);
        return true;
      default:
        return ReadWord(value);
    }
  }

  bool ReadItems(PythonValue& value, PythonValue::Kind kind, char closing, int depth) {
    value.kind = kind;
    ++at_;
    while (true) {
      Skip();
      if (AtEnd() || Take(closing)) return true;
      if (!ReadItem(value, depth)) return AtEnd();
      Skip();
      if (AtEnd() || Take(closing)) return true;
      if (!Take(',')) return false;
    }
  }

  bool ReadItem(PythonValue& value, int depth) {
    PythonValue item;
    if (!Read(item, depth + 1)) return false;
    if (value.kind != PythonValue::Kind::kDict) {
      value.items.push_back(std::move(item));
      return true;
    }
    Skip();
    PythonValue second;
    if (!Take(':') || !Read(second, depth + 1)) return false;
    value.items.push_back(std::move(item));
    value.items.push_back(std::move(second));
    return true;
  }

  void ReadText(PythonValue& value) {
    value.kind = PythonValue::Kind::kText;
    const char quote = text_[at_++];
    while (!AtEnd() && text_[at_] != quote) {
      if (text_[at_] == '\\') {
        ReadEscape(value.text);
      } else {
        value.text += text_[at_++];
      }
    }
    if (!AtEnd()) ++at_;
  }

  void ReadEscape(std::string& out) {
    ++at_;
    if (AtEnd()) return;
    const char c = text_[at_++];
    switch (c) {
      case 'n':
        out += '\n';
        return;
      case 't':
        out += '\t';
        return;
      case 'r':
        out += '\r';
        return;
      case 'x':
        return ReadCode(2, out);
      case 'u':
        return ReadCode(4, out);
      case 'U':
        return ReadCode(8, out);
      default:
        out += c;
    }
  }

  void ReadCode(size_t digits, std::string& out) {
    const std::string_view hex = text_.substr(at_, digits);
    uint32_t code = 0;
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
    if (error != std::errc() || end != hex.data() + hex.size() || code > 0x10FFFF) code = 0xFFFD;
    at_ += hex.size();
    AppendUtf8(code, out);
  }

  bool ReadWord(PythonValue& value) {
    const size_t start = at_;
    while (!AtEnd() && std::string_view(",:]})").find(text_[at_]) == std::string_view::npos) ++at_;
    std::string_view word = text_.substr(start, at_ - start);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    value.text = word;
    return !word.empty();
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

const PythonValue* PythonValue::Find(std::string_view key) const {
  if (kind != Kind::kDict) return nullptr;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].kind == Kind::kText && items[i].text == key) return &items[i + 1];
  }
  return nullptr;
}

std::optional<PythonValue> ParsePython(std::string_view text) {
  PythonValue value;
  if (!Reader(text).ReadAll(value)) return std::nullopt;
  return value;
}

}  // namespace warpsight
