#include "importers/xplane/proto_fields.h"

namespace warpsight::importers::xplane {

bool ProtoFields::ReadLongVarint(uint64_t& value) {
  value = 0;
  for (uint32_t shift = 0; shift < 64; shift += 7) {
    if (next_ == end_) {
      cut_ = true;
      return false;
    }
    const auto byte = static_cast<unsigned char>(*next_++);
    value |= static_cast<uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return true;
  }
  damaged_ = true;
  return false;
}

}  // namespace warpsight::importers::xplane
