#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace warpsight {

// Every distinct string of a trace, once. Id 0 is the empty string. Views stay valid as long as the
// pool lives, even after it is moved. Only one thread at a time may call Intern or Find. Any number
// of threads may concurrently call size, and View with known ids: strings never move.
class StringPool {
 public:
  StringPool();
  StringPool(StringPool&& other) noexcept;
  StringPool& operator=(StringPool&& other) noexcept;

  StringId Intern(std::string_view text) { return InternHashed(text, Hash(text)); }
  // The id of `text`, or kNone if it is not in the pool.
  StringId Find(std::string_view text) const;

  std::string_view View(StringId id) const { return At(Index(id)); }
  size_t size() const { return size_.load(std::memory_order_acquire); }

 private:
  static uint64_t Hash(std::string_view text);
  StringId InternHashed(std::string_view text, uint64_t hash);
  std::string_view Store(std::string_view text);
  void Append(std::string_view stored);
  void Grow();

  // Segment k holds 2^(k + kFirstSegmentBits) strings, so that strings never move when the pool
  // grows.
  static constexpr int kFirstSegmentBits = 9;
  static constexpr int kSegments = 32 - kFirstSegmentBits;
  struct Place {
    size_t segment;
    size_t offset;
  };
  static Place PlaceOf(size_t index) {
    const size_t shifted = index + (size_t{1} << kFirstSegmentBits);
    const size_t bit = static_cast<size_t>(std::bit_width(shifted)) - 1;
    return {bit - kFirstSegmentBits, shifted - (size_t{1} << bit)};
  }
  const std::string_view& At(size_t index) const {
    const Place place = PlaceOf(index);
    return segments_[place.segment][place.offset];
  }

  struct Slot {
    uint32_t hash = 0;  // upper half of the hash
    uint32_t id = UINT32_MAX;
  };
  std::vector<Slot> slots_;  // open addressing; the size is a power of two
  std::array<std::unique_ptr<std::string_view[]>, kSegments> segments_;
  std::atomic<size_t> size_ = 0;
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_free_ = 0;
  char* block_next_ = nullptr;
};

}  // namespace warpsight
