#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "exporters/perfetto/packet_writer.h"

namespace warpsight::exporters::perfetto {

// The slices of one thread or stream on tracks. Slices of a track must nest, so slices that overlap
// without nesting go to another track, which is created on demand.
class LaneWriter {
 public:
  // `first` was created by the caller; `further` creates another track and returns its number.
  LaneWriter(PacketWriter& packets, uint64_t first, std::function<uint64_t()> further)
      : packets_(packets), further_(std::move(further)) {
    lanes_.push_back({first, {}});
  }

  // Chooses the track of a slice. Slices must come in timeline order.
  void Begin(SliceBegin& slice, DurationNs duration);
  // Ends all open slices.
  void Finish();

 private:
  struct Lane {
    uint64_t track;
    std::vector<TimeNs> open;  // ends of open slices, innermost last
  };
  void CloseUntil(Lane& lane, TimeNs time);

  PacketWriter& packets_;
  std::function<uint64_t()> further_;
  std::vector<Lane> lanes_;
};

}  // namespace warpsight::exporters::perfetto
