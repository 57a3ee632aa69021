#include "importers/xplane/proto_fields.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <protozero/types.hpp>
#include <protozero/varint.hpp>

namespace warpsight::importers::xplane {

bool ProtoFields::Next() {
  place_ = next_;
  if (next_ == end_ || cut_ || damaged_) return false;
  uint64_t tag = 0;
  if (!ReadVarint(tag)) return false;
  number_ = static_cast<uint32_t>(tag >> 3U);
  integer_ = 0;
  bytes_ = {};
  if (number_ == 0 || tag >> 32U != 0) {
    damaged_ = true;
    return false;
  }
  switch (static_cast<protozero::pbf_wire_type>(tag & 7U)) {
    case protozero::pbf_wire_type::varint:
      return ReadVarint(integer_);
    case protozero::pbf_wire_type::fixed64:
      return ReadFixed(sizeof(uint64_t));
    case protozero::pbf_wire_type::fixed32:
      return ReadFixed(sizeof(uint32_t));
    case protozero::pbf_wire_type::length_delimited:
      return ReadBytes();
    default:
      damaged_ = true;
      return false;
  }
}

double ProtoFields::real() const { return std::bit_cast<double>(integer_); }

bool ProtoFields::ReadVarint(uint64_t& value) {
  // Most are one byte long.
  if (next_ != end_ && static_cast<signed char>(*next_) >= 0) {
    value = static_cast<unsigned char>(*next_++);
    return true;
  }
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

bool ProtoFields::ReadFixed(size_t size) {
  if (static_cast<size_t>(end_ - next_) < size) {
    cut_ = true;
    return false;
  }
  std::memcpy(&integer_, next_, size);  // both are little-endian
  next_ += size;
  return true;
}

bool ProtoFields::ReadBytes() {
  uint64_t length = 0;
  if (!ReadVarint(length)) return false;
  const auto left = static_cast<uint64_t>(end_ - next_);
  cut_ = length > left;
  bytes_ = {next_, static_cast<size_t>(std::min(length, left))};
  next_ += bytes_.size();
  return true;
}

}  // namespace warpsight::importers::xplane
