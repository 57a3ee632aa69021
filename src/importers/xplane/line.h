#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpsight::importers::xplane {

// A line of a plane: a thread, a stream, or data that the profiler derived. Its events are divided
// into stretches that can be read independently.
struct Line {
  struct Stretch {
    std::string_view bytes;
    size_t events = 0;
  };
  uint64_t id = 0;
  std::string_view name;
  int64_t timestamp_ns = 0;
  std::vector<Stretch> stretches;
  bool whole = true;
};

Line ReadLine(std::string_view bytes);

}  // namespace warpsight::importers::xplane
