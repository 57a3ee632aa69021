#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/timeline/timeline.h"

namespace warpsight {

// From one event to another that it belongs to.
struct EventLink {
  std::string_view role;  // docs/api.md lists them
  EventRef event;
};

struct EventLinks {
  std::vector<EventLink> links;
  int64_t total = 0;  // with those that were left out because there are many
};

// Found by scanning columns of the tables, which takes less than a millisecond on millions of rows
// and needs no index.
EventLinks LinksOf(const Timeline& timeline, ProfileView profile, EventRef event);

// Events of the same name in the same table: how often, and the rows before and after this one.
struct SameName {
  int64_t count = 0;
  std::optional<EventRef> previous, next;
};
SameName SameNameAs(ProfileView profile, EventRef event);

}  // namespace warpsight
