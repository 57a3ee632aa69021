#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/timeline/slice_lane.h"

namespace warpsight::testing {

struct TileRowRead {
  uint32_t lane = 0;
  uint32_t depth = 0;
  std::vector<Slice> slices;
  std::vector<std::string> names;  // of slices
};

struct TileRead {
  bool ok = false;
  std::vector<TileRowRead> rows;
  struct Values {
    uint32_t lane = 0;
    std::vector<float> values;
  };
  std::vector<Values> values;
};

// Reads a tile as docs/api.md describes it; not ok unless all bytes are used.
TileRead ReadTile(std::string_view bytes);

}  // namespace warpsight::testing
