#include "importers/xplane/json_args.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>

#include "base/json_text.h"

namespace warpsight::importers::xplane {
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
  AppendJsonString(value, json_);
}

std::string_view JsonArgs::Finish() {
  if (!json_.empty()) json_ += '}';
  return json_;
}

void JsonArgs::Key(std::string_view key) {
  json_ += json_.empty() ? '{' : ',';
  AppendJsonString(key, json_);
  json_ += ':';
}

}  // namespace warpsight::importers::xplane
