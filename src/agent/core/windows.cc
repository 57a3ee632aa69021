#include "agent/core/windows.h"

#include <limits>

namespace warpsight::agent {
namespace {

constexpr TimeNs kOpenEnd = std::numeric_limits<TimeNs>::max();

}  // namespace

Windows::Windows(const Options& options, TimeNs now)
    : delay_(options.delay),
      duration_(options.duration),
      first_step_(options.first_step),
      step_after_last_(options.step_after_last),
      begin_(now) {
  always_ = delay_ == 0 && duration_ == 0 && first_step_ < 0;
  Tick(now);
}

bool Windows::Wanted(TimeNs start) const {
  if (always_.load(std::memory_order_relaxed)) return true;
  const std::scoped_lock lock(mutex_);
  for (const Window& window : windows_) {
    if (start >= window.start && start < window.end) return true;
  }
  return false;
}

void Windows::Tick(TimeNs now) {
  const std::scoped_lock lock(mutex_);
  const DurationNs since = now - begin_;
  in_time_ = since >= delay_ && (duration_ == 0 || since < delay_ + duration_);
  Update(now);
}

void Windows::Ask(bool on, TimeNs now) {
  const std::scoped_lock lock(mutex_);
  asked_ = on;
  Update(now);
}

void Windows::Step(TimeNs now, bool by_program) {
  if (first_step_ < 0) return;
  const std::scoped_lock lock(mutex_);
  if (by_program && !program_steps_) {
    program_steps_ = true;
    steps_ = 0;
  } else if (by_program == program_steps_) {
    ++steps_;
  }
  Update(now);
}

void Windows::Update(TimeNs now) {
  const bool in_steps = first_step_ < 0 || (steps_ >= first_step_ &&
                                            (step_after_last_ < 0 || steps_ < step_after_last_));
  const bool open = asked_ && in_time_ && in_steps;
  if (open == open_.load(std::memory_order_relaxed)) return;
  if (open) {
    windows_.push_back({now, kOpenEnd});
    // The first window begins with the recording and includes work that started just before.
    if (windows_.size() == 1 && always_) windows_[0].start = std::numeric_limits<TimeNs>::min();
  } else {
    always_.store(false, std::memory_order_relaxed);
    windows_.back().end = now;
  }
  open_.store(open, std::memory_order_relaxed);
}

}  // namespace warpsight::agent
