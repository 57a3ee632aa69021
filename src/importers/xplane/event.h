#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "importers/xplane/plane.h"
#include "model/tables.h"

namespace warpsight::importers::xplane {

// An event with its times and the stats that have a place in the model.
struct Event {
  const EventName* name = nullptr;
  TimeNs start = 0;
  DurationNs duration = 0;
  std::vector<RawStat> stats;  // of this event; its name may have more

  int64_t correlation = kMissing, graph = kMissing, graph_node = kMissing;
  int64_t program = kMissing, group = kMissing;
  bool has_step = false;
  std::string_view kernel_details, copy_details, hlo_op, hlo_module, scope, tf_op;
};

// Why an event could not be read.
struct EventProblem {
  std::string_view code, message;
};

// Reads an event of a line that begins at `timestamp_ns` into `event`, reusing its memory.
std::optional<EventProblem> ReadEvent(const Plane& plane, int64_t timestamp_ns,
                                      std::string_view message, Event& event);

// Converts picoseconds to nanoseconds, rounding halves up. The JSON that is generated from these
// files has decimals of microseconds rounded in the same way.
int64_t ToNanoseconds(int64_t picoseconds);

}  // namespace warpsight::importers::xplane
