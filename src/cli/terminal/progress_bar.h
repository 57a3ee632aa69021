#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "base/progress.h"
#include "cli/terminal/interrupts.h"

namespace warpsight {

// Shows a Progress on standard error while it exists, if that is a terminal and `visible`, and
// turns Ctrl-C into a request to stop, so that no partial output remains.
class ProgressBar {
 public:
  explicit ProgressBar(Progress& progress, bool visible = true);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

 private:
  void Draw(double seconds);

  Progress& progress_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> drawn_{false};
  std::thread thread_;
  OnInterrupt on_interrupt_;
};

// Shows work of one phase, whose amount is not known, while it exists.
class PhaseBar {
 public:
  explicit PhaseBar(const char* phase, bool visible = true) : bar_(progress_, visible) {
    progress_.Begin(phase, 0);
  }

 private:
  Progress progress_;
  ProgressBar bar_;
};

}  // namespace warpsight
