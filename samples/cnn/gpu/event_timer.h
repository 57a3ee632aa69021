#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "gpu/cuda_check.h"

namespace cnn {

// Measures GPU time between marks in the default stream. Marking does not wait; the time of a mark
// is available after the GPU has passed it.
class EventTimer {
 public:
  EventTimer() = default;
  ~EventTimer() {
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
  }
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;

  // Drops the marks, but keeps their events for reuse.
  void Restart() { marks_ = 0; }

  // Adds a mark; returns its number.
  int Mark() {
    if (marks_ == int(events_.size())) {
      cudaEvent_t event;
      CudaCheck(cudaEventCreate(&event), "cudaEventCreate");
      events_.push_back(event);
    }
    CudaCheck(cudaEventRecord(events_[marks_]), "cudaEventRecord");
    return marks_++;
  }

  // The time from the previous mark to `mark`.
  double Milliseconds(int mark) const {
    float time = 0;
    CudaCheck(cudaEventElapsedTime(&time, events_[mark - 1], events_[mark]),
              "cudaEventElapsedTime");
    return time;
  }

 private:
  std::vector<cudaEvent_t> events_;
  int marks_ = 0;
};

}  // namespace cnn
