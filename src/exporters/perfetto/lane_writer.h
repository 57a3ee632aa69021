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
  // `first` was made by the caller; `further` makes the others and returns their number.
  LaneWriter(PacketWriter& packets, uint64_t first, std::function<uint64_t()> further)
      : packets_(packets), further_(std::move(further)) {
    lanes_.push_back({first, {}});
  }

  // Slices come in timeline order. Chooses the track.
  void Begin(SliceBegin& slice, DurationNs duration);
  // Ends what is still open.
  void Finish();

 private:
  struct Lane {
    uint64_t track;
    std::vector<TimeNs> open;  // ends, the innermost last
  };
  void CloseUntil(Lane& lane, TimeNs time);

  PacketWriter& packets_;
  std::function<uint64_t()> further_;
  std::vector<Lane> lanes_;
};

}  // namespace warpsight::exporters::perfetto
