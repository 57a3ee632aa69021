#include "analysis/text/event_ref.h"

#include <array>
#include <charconv>
#include <system_error>

namespace warpsight {
namespace {

constexpr std::array<std::string_view, kEventTableCount> kNames = {
    "host", "api", "gpu", "gap", "iteration", "annotation", "stretch"};

}  // namespace

std::string ToString(EventRef event) {
  std::string text(kNames[static_cast<size_t>(event.table)]);
  text += ':';
  text += std::to_string(event.row);
  return text;
}

std::optional<EventRef> ParseEventRef(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (text.substr(0, colon) != kNames[i]) continue;
    EventRef event{static_cast<EventTable>(i), 0};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, event.row);
    if (error != std::errc() || stop != end) return std::nullopt;
    return event;
  }
  return std::nullopt;
}

}  // namespace warpsight
