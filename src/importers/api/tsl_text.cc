#include "importers/api/tsl_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace warpsight::xla {
namespace {

// The end of the value at the start of the text: before ",key=", since a value may contain commas.
size_t ValueEnd(std::string_view text) {
  for (size_t comma = text.find(','); comma != text.npos; comma = text.find(',', comma + 1)) {
    const size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", comma + 1);
    if (end != text.npos && end > comma + 1 && text[end] == '=') return comma;
  }
  return text.size();
}

}  // namespace

std::optional<TslText> TslText::Parse(std::string_view text) {
  const size_t begin = text.find('#');
  if (!text.ends_with('#') || begin + 1 >= text.size()) return std::nullopt;
  TslText parsed;
  parsed.title_ = text.substr(0, begin);
  if (parsed.title_.ends_with(':')) parsed.title_.remove_suffix(1);
  parsed.metadata_ = text.substr(begin + 1, text.size() - begin - 2);
  if (parsed.metadata_.find('=') == std::string_view::npos) return std::nullopt;
  return parsed;
}

std::string_view TslText::Value(std::string_view key) const {
  std::string_view rest = metadata_;
  while (!rest.empty()) {
    const size_t end = ValueEnd(rest);
    const std::string_view field = rest.substr(0, end);
    if (field.size() > key.size() && field.starts_with(key) && field[key.size()] == '=') {
      return field.substr(key.size() + 1);
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

std::string TslText::Name() const {
  const std::string_view value = Value("step_num");
  const std::string_view step = value.substr(0, value.find_first_not_of("0123456789"));
  return step.empty() ? std::string(title_) : fmt::format("{}#{}", title_, step);
}

}  // namespace warpsight::xla
