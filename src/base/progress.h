#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

namespace warpsight {

// The progress of a long operation. The worker writes it, a display thread reads it; `cancel` asks
// the worker to stop at the next convenient point. The atomic members are safe to use from any
// thread.
struct Progress {
  std::atomic<const char*> phase{""};  // static text: "reading", "analyzing", "saving"
  std::atomic<int64_t> done{0};
  std::atomic<int64_t> total{0};  // 0: not known
  std::atomic<bool> cancel{false};

  // The start time of each phase. Only the worker writes it; the worker or its caller reads it at
  // the end.
  struct PhaseStart {
    const char* name;
    std::chrono::steady_clock::time_point time;
  };
  std::vector<PhaseStart> phases;

  void Begin(const char* name, int64_t amount) {
    done.store(0, std::memory_order_relaxed);
    total.store(amount, std::memory_order_relaxed);
    phase.store(name, std::memory_order_relaxed);
    phases.push_back({name, std::chrono::steady_clock::now()});
  }
  void Add(int64_t amount) { done.fetch_add(amount, std::memory_order_relaxed); }
  bool cancelled() const { return cancel.load(std::memory_order_relaxed); }
};

}  // namespace warpsight
