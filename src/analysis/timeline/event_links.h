#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/timeline/timeline.h"

namespace warpsight {

// A link from one event to another.
struct EventLink {
  std::string_view role;  // docs/api.md lists them
  EventRef event;
};

struct EventLinks {
  std::vector<EventLink> links;
  int64_t total = 0;  // including links that were omitted because there are many
};

// Finds links by scanning columns, which takes less than a millisecond for millions of rows and
// needs no index.
EventLinks LinksOf(const Timeline& timeline, ProfileView profile, EventRef event);

// Events with the same name in the same table: their number, and the rows before and after this
// one.
struct SameName {
  int64_t count = 0;
  std::optional<EventRef> previous, next;
};
SameName SameNameAs(ProfileView profile, EventRef event);

}  // namespace warpsight
