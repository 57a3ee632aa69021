#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsight::agent {

// One thread's numbers for texts. Cleared when it grows too large: programs that generate unlimited
// names must not use unlimited memory.
class TextTable {
 public:
  struct Found {
    uint32_t number;
    bool is_new;  // the number was made now, by `next`
  };

  template <typename Next>
  Found Number(std::string_view text, Next&& next) {
    if (slots_.empty() || used_ * 2 >= slots_.size()) Grow();
    const uint64_t hash = Hash(text);
    for (size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[i];
      if (slot.number == 0) {
        slot = {hash, Keep(text), static_cast<uint32_t>(text.size()), next()};
        ++used_;
        return {slot.number, true};
      }
      if (slot.hash == hash && slot.size == text.size() &&
          std::memcmp(arena_.data() + slot.offset, text.data(), text.size()) == 0) {
        return {slot.number, false};
      }
    }
  }
  // The next texts get new numbers.
  void Forget() {
    slots_.clear();
    arena_.clear();
    used_ = 0;
  }

 private:
  static constexpr size_t kMaxTexts = size_t{1} << 16U;
  static constexpr size_t kMostBytes = size_t{32} << 20U;

  struct Slot {
    uint64_t hash = 0;
    uint32_t offset = 0;
    uint32_t size = 0;
    uint32_t number = 0;  // 0: empty
  };

  static uint64_t Hash(std::string_view text) {
    uint64_t hash = 0x9E3779B97F4A7C15 ^ text.size();
    const char* at = text.data();
    size_t left = text.size();
    const auto mix = [&hash](uint64_t word) {
      hash = (hash ^ word) * 0xD6E8FEB86659FD93;
      hash ^= hash >> 32U;
    };
    for (; left >= 8; left -= 8, at += 8) {
      uint64_t word = 0;
      std::memcpy(&word, at, 8);
      mix(word);
    }
    uint64_t word = 0;
    std::memcpy(&word, at, left);
    mix(word);
    return hash;
  }

  uint32_t Keep(std::string_view text) {
    const auto offset = static_cast<uint32_t>(arena_.size());
    arena_ += text;
    return offset;
  }

  void Grow() {
    if (used_ >= kMaxTexts || arena_.size() > kMostBytes) Forget();
    std::vector<Slot> larger(slots_.empty() ? 256 : slots_.size() * 2);
    for (const Slot& slot : slots_) {
      if (slot.number == 0) continue;
      size_t i = slot.hash & (larger.size() - 1);
      while (larger[i].number != 0) i = (i + 1) & (larger.size() - 1);
      larger[i] = slot;
    }
    slots_ = std::move(larger);
  }

  std::vector<Slot> slots_;
  std::string arena_;
  size_t used_ = 0;
};

}  // namespace warpsight::agent
