#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpsight {

// The tables whose rows are slices of the timeline; tiles contain their numbers.
enum class EventTable : uint8_t { kHost, kApi, kGpu, kGap, kIteration, kAnnotation, kStretch };
inline constexpr size_t kEventTableCount = 7;

// One slice of the timeline: a row of a table.
struct EventRef {
  EventTable table = EventTable::kHost;
  uint32_t row = 0;
  friend bool operator==(const EventRef&, const EventRef&) = default;
};

// "gpu:123"
std::string ToString(EventRef event);
// nullopt if the text does not have this form. Does not check whether the row exists.
std::optional<EventRef> ParseEventRef(std::string_view text);

}  // namespace warpsight
