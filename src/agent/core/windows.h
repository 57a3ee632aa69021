#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "agent/core/options.h"

namespace warpsight::agent {

// When to record: the times and iterations that the user requested, and the program's own starts
// and stops. All of them must allow it. Any thread.
class Windows {
 public:
  Windows(const Options& options, TimeNs now);

  bool open() const { return open_.load(std::memory_order_relaxed); }
  // Whether something that began at that time is wanted.
  bool Wanted(TimeNs start) const;

  void Tick(TimeNs now);
  // The program starts or stops recording.
  void Ask(bool on, TimeNs now);
  // An iteration begins: the program's own steps, or, where it marks none, an optimizer's.
  void Step(TimeNs now, bool by_program);

 private:
  struct Window {
    TimeNs start, end;
  };
  void Update(TimeNs now);

  const DurationNs delay_, duration_;
  const int64_t first_step_, step_after_last_;
  const TimeNs begin_;

  std::atomic<bool> open_ = false;
  std::atomic<bool> always_ = true;  // open from the beginning and never closed
  mutable std::mutex mutex_;
  bool asked_ = true;
  bool in_time_ = false;
  int64_t steps_ = 0;
  bool program_steps_ = false;
  std::vector<Window> windows_;
};

}  // namespace warpsight::agent
