#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "base/progress.h"

namespace warpsight {

// Shows a Progress on standard error while it exists, if that is a terminal and `visible`, and
// turns Ctrl-C into a request to stop, so that nothing half-done is left behind. One at a time.
class ProgressBar {
 public:
  explicit ProgressBar(Progress& progress, bool visible = true);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

 private:
  void Draw();

  Progress& progress_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
  bool drawn_ = false;
};

// The signal that made the last such request; 0 where there was none.
int InterruptingSignal();

}  // namespace warpsight
