#pragma once

#include <string_view>

namespace warpsight {

// The text without surrounding white space.
std::string_view TrimJson(std::string_view text);

// The end of the JSON value that begins at text[pos]: the comma or bracket after it, or npos.
size_t JsonValueEnd(std::string_view text, size_t pos);

// Calls visit(key, value) for the fields of a JSON object until it returns false. Returns false in
// that case, and if the text is not an object or contains an escaped key.
template <typename Visit>
bool ForEachField(std::string_view object, Visit visit) {
  object = TrimJson(object);
  if (object.size() < 2 || object.front() != '{') return false;
  size_t pos = 1;
  for (;;) {
    const size_t open = object.find_first_not_of(" \n\r\t", pos);
    if (open == std::string_view::npos || object[open] != '"') return false;
    const size_t close = object.find('"', open + 1);
    if (close == std::string_view::npos) return false;
    const std::string_view key = object.substr(open + 1, close - open - 1);
    if (key.find('\\') != std::string_view::npos) return false;
    const size_t colon = object.find(':', close);
    if (colon == std::string_view::npos) return false;
    const size_t end = JsonValueEnd(object, colon + 1);
    if (end == std::string_view::npos) return false;
    if (!visit(key, TrimJson(object.substr(colon + 1, end - colon - 1)))) return false;
    if (object[end] == '}') return end + 1 == object.size();
    pos = end + 1;
  }
}

}  // namespace warpsight
