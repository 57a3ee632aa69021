#include "importers/xplane/json_args.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "base/utf8.h"

namespace warpsight::importers::xplane {
namespace {

bool IsPlain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

}  // namespace

void JsonArgs::Add(const Stat& stat) {
  switch (stat.type) {
    case Stat::Type::kInteger:
      Key(stat.name);
      fmt::format_to(std::back_inserter(json_), "{}", static_cast<int64_t>(stat.integer));
      break;
    case Stat::Type::kUnsigned:
      Key(stat.name);
      fmt::format_to(std::back_inserter(json_), "{}", stat.integer);
      break;
    case Stat::Type::kReal:
      if (!std::isfinite(stat.real)) break;
      Key(stat.name);
      fmt::format_to(std::back_inserter(json_), "{}", stat.real);
      break;
    case Stat::Type::kText:
      AddText(stat.name, stat.text);
      break;
    case Stat::Type::kBytes:
    case Stat::Type::kNone:
      break;
  }
}

void JsonArgs::AddNumber(std::string_view key, double value) {
  Key(key);
  fmt::format_to(std::back_inserter(json_), "{:.0f}", value);
}

void JsonArgs::AddText(std::string_view key, std::string_view value) {
  Key(key);
  Quoted(value);
}

std::string_view JsonArgs::Finish() {
  if (!json_.empty()) json_ += '}';
  return json_;
}

void JsonArgs::Key(std::string_view key) {
  json_ += json_.empty() ? '{' : ',';
  Quoted(key);
  json_ += ':';
}

void JsonArgs::Quoted(std::string_view text) {
  json_ += '"';
  // Nearly all texts are plain.
  if (std::all_of(text.begin(), text.end(), IsPlain)) {
    json_.append(text).append(1, '"');
    return;
  }
  std::string repaired;
  for (const char c : ValidUtf8(text, repaired)) {
    if (c == '"' || c == '\\') json_ += '\\';
    if (static_cast<unsigned char>(c) < ' ') {
      fmt::format_to(std::back_inserter(json_), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      json_ += c;
    }
  }
  json_ += '"';
}

}  // namespace warpsight::importers::xplane
