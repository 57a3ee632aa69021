#pragma once

#include <chrono>
#include <ratio>

namespace cnn {

// Measures time on the CPU from lap to lap.
class Stopwatch {
 public:
  Stopwatch() : last_(Clock::now()) {}

  // Milliseconds since the last lap or the start.
  double Lap() {
    const Clock::time_point now = Clock::now();
    const double lap = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return lap;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_;
};

}  // namespace cnn
