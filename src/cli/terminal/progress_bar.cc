#include "cli/terminal/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>

#include "cli/terminal/console.h"

namespace warpsight {
namespace {

constexpr auto kTick = std::chrono::milliseconds(50);
// Work that is over sooner needs no bar.
constexpr auto kPatience = std::chrono::milliseconds(300);
constexpr int kBarWidth = 30;
constexpr const char* kClearLine = "\r\033[K";

}  // namespace

ProgressBar::ProgressBar(Progress& progress, bool visible)
    : progress_(progress),
      on_interrupt_({[this] { progress_.cancel = true; },
                     [this] {
                       if (drawn_) EndMessage(kClearLine);
                     }}) {
  if (!visible || !IsTerminal(STDERR_FILENO)) return;
  thread_ = std::thread([this] {
    const auto begin = std::chrono::steady_clock::now();
    while (!stop_.load()) {
      std::this_thread::sleep_for(kTick);
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      if (passed > kPatience) Draw(passed.count());
    }
  });
}

ProgressBar::~ProgressBar() {
  stop_.store(true);
  if (thread_.joinable()) thread_.join();
  if (drawn_) fmt::print(stderr, kClearLine);
}

// A bar, or the time so far where the amount of work is not known.
void ProgressBar::Draw(double seconds) {
  drawn_ = true;
  const char* const phase = progress_.phase.load();
  const int64_t total = progress_.total.load();
  if (total <= 0) {
    fmt::print(stderr, "{}{} … {:.0f} s", kClearLine, *phase == '\0' ? "starting" : phase, seconds);
    std::fflush(stderr);
    return;
  }
  const double share =
      std::clamp(static_cast<double>(progress_.done.load()) / static_cast<double>(total), 0.0, 1.0);
  const int filled = static_cast<int>(share * kBarWidth);
  std::string bar;
  for (int i = 0; i < kBarWidth; ++i) bar += i < filled ? "█" : "░";
  fmt::print(stderr, "{}{:<10} {} {:3.0f} %", kClearLine, phase, bar, 100 * share);
  std::fflush(stderr);
}

}  // namespace warpsight
