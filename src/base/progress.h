#pragma once

#include <atomic>
#include <cstdint>

namespace warpsight {

// Where a long operation stands. The worker side stores, a display thread reads; `cancel` asks the
// worker to stop at the next convenient place. All members are safe to use from any thread.
struct Progress {
  std::atomic<const char*> phase{""};  // static text: "reading", "analysing", "saving"
  std::atomic<int64_t> done{0};
  std::atomic<int64_t> total{0};  // 0: not known
  std::atomic<bool> cancel{false};

  void Begin(const char* name, int64_t amount) {
    done.store(0, std::memory_order_relaxed);
    total.store(amount, std::memory_order_relaxed);
    phase.store(name, std::memory_order_relaxed);
  }
  void Add(int64_t amount) { done.fetch_add(amount, std::memory_order_relaxed); }
  bool cancelled() const { return cancel.load(std::memory_order_relaxed); }
};

}  // namespace warpsight
