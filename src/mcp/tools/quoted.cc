#include "mcp/tools/quoted.h"

#include "base/json_text.h"
#include "base/printable.h"
#include "base/utf8.h"

namespace warpsight::mcp {
namespace {

// The first characters of valid UTF-8. Characters, not columns: combining marks take no column.
std::string Cut(std::string text, size_t longest) {
  std::string_view rest = text;
  for (size_t i = 0; i + 1 < longest && !rest.empty(); ++i) TakeCharacter(rest);
  const size_t kept = text.size() - rest.size();
  if (!rest.empty()) TakeCharacter(rest);
  if (rest.empty()) return text;
  text.resize(kept);
  return text + "…";
}

// So much of a text that cutting what becomes of it gives the same: names may have megabytes.
std::string_view Beginning(std::string_view text, size_t longest) {
  constexpr size_t kLongestCharacter = 4;
  return text.substr(0, (longest + 1) * kLongestCharacter);
}

}  // namespace

std::string ShortName(std::string_view name) {
  return Cut(Printable(Beginning(name, kLongestName)), kLongestName);
}

std::string ShortSentence(std::string_view text) {
  return Cut(Printable(Beginning(text, kLongestSentence)), kLongestSentence);
}

std::string Quoted(std::string_view name) { return JsonString(ShortName(name)); }

}  // namespace warpsight::mcp
