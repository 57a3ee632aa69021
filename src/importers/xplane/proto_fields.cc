#include "importers/xplane/proto_fields.h"

#include <algorithm>
#include <protozero/varint.hpp>

namespace warpsight::importers::xplane {

bool ProtoFields::ReadLongVarint(uint64_t& value) {
  const bool ends = std::find_if(next_, std::min(end_, next_ + protozero::max_varint_length),
                                 [](char c) { return static_cast<signed char>(c) >= 0; }) == end_;
  try {
    value = protozero::decode_varint(&next_, end_);
    return true;
  } catch (const protozero::exception&) {
    (ends ? cut_ : damaged_) = true;
    return false;
  }
}

}  // namespace warpsight::importers::xplane
