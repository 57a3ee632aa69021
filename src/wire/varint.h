#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpsight::wire {

// Varints: seven bits per byte, lowest first; signed numbers are mapped to 0, -1, 1, -2, ... first.
// `out` is a string or anything else with push_back.
template <typename Bytes>
void AppendVarint(uint64_t value, Bytes& out) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80U));
    value >>= 7U;
  }
  out.push_back(static_cast<char>(value));
}

inline uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1U) ^ static_cast<uint64_t>(value >> 63);
}
inline int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>(value >> 1U) ^ -static_cast<int64_t>(value & 1U);
}

// Reads numbers from bytes. After a truncated or too long number, all further ones are 0 and ok()
// is false.
class VarintReader {
 public:
  VarintReader(const char* begin, const char* end) : next_(begin), end_(end) {}

  uint64_t Unsigned() {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
      if (next_ == end_) break;
      const auto byte = static_cast<unsigned char>(*next_++);
      value |= static_cast<uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
    next_ = end_;
    ok_ = false;
    return 0;
  }
  int64_t Signed() { return UnZigZag(Unsigned()); }

  // The next `size` bytes; empty if there are fewer.
  std::string_view Bytes(uint64_t size) {
    if (size > static_cast<uint64_t>(end_ - next_)) {
      next_ = end_;
      ok_ = false;
      return {};
    }
    const std::string_view bytes(next_, static_cast<size_t>(size));
    next_ += size;
    return bytes;
  }

  bool ok() const { return ok_; }
  bool at_end() const { return next_ == end_; }
  size_t left() const { return static_cast<size_t>(end_ - next_); }

 private:
  const char* next_;
  const char* end_;
  bool ok_ = true;
};

}  // namespace warpsight::wire
