#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/timeline/timeline.h"

namespace warpsight {

// One line about an event, for people.
struct EventField {
  std::string_view name;
  std::string value;
};

// "kernel", "op", "gap", ...
std::string_view KindOf(ProfileView profile, EventRef event);

// The recorded and derived facts about an event besides its name and times.
std::vector<EventField> FieldsOf(const Timeline& timeline, ProfileView profile,
                                 const RangeSummary& range, EventRef event);

// The frames that led to an event, innermost first: those recorded with its op, otherwise the
// Python functions and modules around it.
std::vector<std::string> StackOf(ProfileView profile, EventRef event);

}  // namespace warpsight
