#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "importers/capture/test_capture.h"

namespace warpsight::importers::capture {

// A capture of a program that does not exist, for tests: equal steps, of which some were recorded
// and some ran in clean stretches. One with markers is stored as
// tests/data/stretches/alternating.wscap.
class AlternatingCapture {
 public:
  static constexpr int64_t kMicrosecond = 1000;
  static constexpr int64_t kCleanStep = 200 * kMicrosecond;
  static constexpr int64_t kRecordedStep = 230 * kMicrosecond;

  // How iterations are found.
  enum class Sign : uint8_t { kMarker, kOptimizer, kTimes, kKernels, kCalls };

  // `lag`: how far the GPU is behind the CPU when the program starts.
  explicit AlternatingCapture(Sign sign, int64_t lag = 0, uint32_t pid = 5000)
      : sign_(sign), file_(pid, 0x5eed), lag_(lag), gpu_free_(now_ + lag) {
    file_.Fact("command", "/usr/bin/python3 train.py");
    file_.Fact("host", "sample");
    file_.Add(wire::DeviceRecord{0, file_.Text("NVIDIA H200"), 9, 0, 132, 150'122'266'624, 2048,
                                 65536, 233472, 32});
    file_.Add(wire::AnchorRecord{now_, now_ + 1'700'000'000'000'000'000});
  }

  TestCapture& file() { return file_; }

  // Steps that are recorded; recording begins in the first after a clean stretch.
  void Record(int64_t steps, int64_t length = kRecordedStep) {
    for (int64_t i = 0; i < steps; ++i) {
      Step(length, begun_ ? wire::StepState::kRecorded : wire::StepState::kNeither);
      begun_ = true;
    }
    file_.Flush();
  }

  // A clean stretch. An open one lasts until the program's end.
  void Clean(int64_t steps, int64_t length = kCleanStep, bool open = false) {
    const int64_t start = now_;
    begun_ = false;
    file_.Add(wire::CleanStretchRecord{start, 0});
    for (int64_t i = 0; i < steps; ++i) Step(length, wire::StepState::kClean);
    if (!open) file_.Add(wire::CleanStretchRecord{start, now_});
    file_.Flush();
  }

  std::string Bytes() { return file_.Bytes(); }

 private:
  void Step(int64_t length, wire::StepState state) {
    const int64_t start = now_;
    now_ += length;
    const bool recorded = state != wire::StepState::kClean;
    // With fewer kernels, a period of kernels is not a step.
    const int64_t kernels = sign_ == Sign::kCalls ? 3 : 5;
    for (int64_t k = 0; k < kernels; ++k) {
      Launch(start + (10 + 20 * k) * kMicrosecond, "kernel_" + std::to_string(k), recorded);
    }
    if (sign_ != Sign::kKernels && sign_ != Sign::kCalls) {
      file_.StepTime(start, now_, state,
                     sign_ == Sign::kOptimizer ? "Optimizer.step" : "warpsight.step");
    }
    if (recorded) Mark(start);
    ++step_;
  }

  void Launch(int64_t start, const std::string& kernel, bool recorded) {
    // A GPU that lags behind has work all the time.
    const int64_t work = (lag_ > 0 ? 39 : 25) * kMicrosecond;
    gpu_free_ = std::max(gpu_free_, start + 6 * kMicrosecond);
    if (recorded) {
      file_.Op(start - 2 * kMicrosecond, start + 5 * kMicrosecond, "aten::mm");
      file_.Call(start, start + 4 * kMicrosecond, "cudaLaunchKernel", ++correlation_);
      file_.Kernel(gpu_free_, gpu_free_ + work, kernel, correlation_);
    }
    gpu_free_ += work + kMicrosecond;
  }

  void Mark(int64_t start) {
    switch (sign_) {
      case Sign::kMarker:
        file_.Range(start, now_ - kMicrosecond, std::to_string(step_), wire::RangeKind::kStep);
        break;
      case Sign::kOptimizer:
        file_.Op(now_ - 20 * kMicrosecond, now_, "Optimizer.step#SGD.step", -1,
                 TestCapture::kThread, "", 7);
        break;
      case Sign::kCalls:
        file_.Range(start, now_ - 20 * kMicrosecond, "Net", wire::RangeKind::kModule);
        break;
      case Sign::kTimes:
      case Sign::kKernels:
        break;
    }
  }

  const Sign sign_;
  TestCapture file_;
  const int64_t lag_;
  int64_t now_ = 86'400'000'000'000;
  int64_t gpu_free_;
  int64_t correlation_ = 0;
  int64_t step_ = 0;
  bool begun_ = false;
};

// The bundled one.
inline std::string AlternatingSample() {
  AlternatingCapture program(AlternatingCapture::Sign::kMarker);
  program.Record(1, 3'000'000);
  program.Record(8);
  program.Clean(20);
  program.Record(10);
  program.Clean(20, AlternatingCapture::kCleanStep + 4'000);
  program.Record(10);
  program.Clean(5, AlternatingCapture::kCleanStep, true);
  return program.Bytes();
}

}  // namespace warpsight::importers::capture
