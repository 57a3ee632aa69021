#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"

namespace warpsight::exporters::perfetto {

// The rows of a table grouped by lane, in their order within each lane.
template <typename Id>
class RowGroups {
 public:
  RowGroups(const std::vector<Id>& lanes, size_t lane_count) : first_(lane_count + 1) {
    for (const Id lane : lanes) ++first_[Index(lane) + 1];
    for (size_t i = 0; i < lane_count; ++i) first_[i + 1] += first_[i];
    rows_.resize(lanes.size());
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    for (size_t row = 0; row < lanes.size(); ++row) {
      rows_[next[Index(lanes[row])]++] = static_cast<uint32_t>(row);
    }
  }

  std::span<const uint32_t> Of(Id lane) const {
    const size_t i = Index(lane);
    return std::span(rows_).subspan(first_[i], first_[i + 1] - first_[i]);
  }

 private:
  std::vector<uint32_t> rows_, first_;
};

}  // namespace warpsight::exporters::perfetto
