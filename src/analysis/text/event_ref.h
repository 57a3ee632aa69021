#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpsight {

// The tables whose rows are slices of the timeline, by their numbers in tiles.
enum class EventTable : uint8_t { kHost, kApi, kGpu, kGap, kIteration, kAnnotation };
inline constexpr size_t kEventTableCount = 6;

// One slice of the timeline: a row of a table.
struct EventRef {
  EventTable table = EventTable::kHost;
  uint32_t row = 0;
  friend bool operator==(const EventRef&, const EventRef&) = default;
};

// "gpu:123"
std::string ToString(EventRef event);
// Nothing where the text is not written so; whether there is such a row is not looked at.
std::optional<EventRef> ParseEventRef(std::string_view text);

}  // namespace warpsight
