#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace warpsight::importers::xplane {

// Iterates over the fields of a protobuf message. Nothing throws: damage ends the iteration, and a
// field that extends beyond the end of the message is truncated.
class ProtoFields {
 public:
  explicit ProtoFields(std::string_view message)
      : next_(message.data()), end_(message.data() + message.size()), place_(next_) {}

  // Goes to the next field; false at the end, or if the message is damaged.
  bool Next() {
    place_ = next_;
    if (next_ == end_ || !whole()) return false;
    uint64_t tag = 0;
    if (!ReadVarint(tag)) return false;
    number_ = static_cast<uint32_t>(tag >> 3U);
    integer_ = 0;
    bytes_ = {};
    if (number_ == 0 || tag >> 32U != 0) {
      damaged_ = true;
      return false;
    }
    switch (tag & 7U) {
      case kVarint:
        return ReadVarint(integer_);
      case kBytes:
        return ReadBytes();
      case kFixed64:
        return ReadFixed(sizeof(uint64_t));
      case kFixed32:
        return ReadFixed(sizeof(uint32_t));
      default:
        damaged_ = true;
        return false;
    }
  }

  uint32_t number() const { return number_; }
  // The value of the field; 0 or "" if it has another type.
  uint64_t integer() const { return integer_; }
  int64_t signed_integer() const { return static_cast<int64_t>(integer_); }
  double real() const { return std::bit_cast<double>(integer_); }
  std::string_view bytes() const { return bytes_; }

  // The position of the current field; after the last one, the position at which reading ended.
  const char* place() const { return place_; }
  const char* after() const { return next_; }
  // Whether the message ended inside the last field.
  bool cut() const { return cut_; }
  // Whether the message contains bytes that are not a field.
  bool damaged() const { return damaged_; }
  bool whole() const { return !cut_ && !damaged_; }

 private:
  // The encoding of a field: the last three bits of its tag.
  enum Wire : uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  bool ReadVarint(uint64_t& value) {
    // Most varints have one byte.
    if (next_ == end_ || static_cast<signed char>(*next_) < 0) return ReadLongVarint(value);
    value = static_cast<unsigned char>(*next_++);
    return true;
  }
  bool ReadLongVarint(uint64_t& value);

  bool ReadFixed(size_t size) {
    if (static_cast<size_t>(end_ - next_) < size) {
      cut_ = true;
      return false;
    }
    std::memcpy(&integer_, next_, size);  // assumes a little-endian machine
    next_ += size;
    return true;
  }

  bool ReadBytes() {
    uint64_t length = 0;
    if (!ReadVarint(length)) return false;
    const auto left = static_cast<uint64_t>(end_ - next_);
    cut_ = length > left;
    bytes_ = {next_, static_cast<size_t>(cut_ ? left : length)};
    next_ += bytes_.size();
    return true;
  }

  const char* next_;
  const char* end_;
  const char* place_;
  uint32_t number_ = 0;
  uint64_t integer_ = 0;
  std::string_view bytes_;
  bool cut_ = false;
  bool damaged_ = false;
};

}  // namespace warpsight::importers::xplane
