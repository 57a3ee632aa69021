#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

namespace warpsight::agent {

// A lock-free single-producer, single-consumer ring buffer. A full ring rejects entries. An entry
// is a tag and a multiple of eight bytes; it never wraps around the end.
class Ring {
 public:
  // `words` is a power of two; the memory is the caller's and zeroed.
  Ring(uint64_t* memory, uint64_t words) : words_(memory), size_(words) {}
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  struct Entry {
    uint32_t tag;
    uint32_t words;
    const uint64_t* data;
  };

  // Room for an entry, to be filled before Commit(); null where the ring is full.
  uint64_t* Reserve(uint32_t tag, uint32_t words) {
    const uint64_t needed = words + 1;
    uint64_t head = head_.load(std::memory_order_relaxed);
    const uint64_t place = head & (size_ - 1);
    const uint64_t to_end = size_ - place;
    const uint64_t taken = needed > to_end ? needed + to_end : needed;
    if (head + taken - tail_seen_ > size_) {
      tail_seen_ = tail_.load(std::memory_order_acquire);
      if (head + taken - tail_seen_ > size_) return nullptr;
    }
    if (needed > to_end) {
      words_[place] = Header(kSkip, static_cast<uint32_t>(to_end - 1));
      head += to_end;
    }
    uint64_t* entry = words_ + (head & (size_ - 1));
    *entry = Header(tag, words);
    reserved_ = head + needed;
    return entry + 1;
  }
  void Commit() { head_.store(reserved_, std::memory_order_release); }
  // For the writing thread: whether the reader should drain the ring soon.
  bool HalfFull() {
    if (reserved_ - tail_seen_ <= size_ / 2) return false;
    tail_seen_ = tail_.load(std::memory_order_acquire);
    return reserved_ - tail_seen_ > size_ / 2;
  }

  // By the reading thread: what is there now, in order.
  template <typename Use>
  void Drain(Use&& use) {
    const uint64_t head = head_.load(std::memory_order_acquire);
    uint64_t tail = tail_.load(std::memory_order_relaxed);
    while (tail != head) {
      const uint64_t* entry = words_ + (tail & (size_ - 1));
      const auto tag = static_cast<uint32_t>(*entry >> 32U);
      const auto words = static_cast<uint32_t>(*entry);
      if (tag != kSkip) use(Entry{tag, words, entry + 1});
      tail += words + 1;
      // Space is released incrementally, so that the writer does not wait for the whole ring.
      tail_.store(tail, std::memory_order_release);
    }
  }
  bool Empty() const {
    return head_.load(std::memory_order_acquire) == tail_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr uint32_t kSkip = 0xFFFFFFFF;
  static uint64_t Header(uint32_t tag, uint32_t words) { return uint64_t{tag} << 32U | words; }

  uint64_t* const words_;
  const uint64_t size_;
  // The writer's.
  alignas(64) std::atomic<uint64_t> head_ = 0;
  uint64_t reserved_ = 0;
  uint64_t tail_seen_ = 0;
  // The reader's.
  alignas(64) std::atomic<uint64_t> tail_ = 0;
};

}  // namespace warpsight::agent
