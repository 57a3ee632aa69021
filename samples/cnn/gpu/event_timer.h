#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "gpu/cuda_check.h"

namespace cnn {

// Time on the GPU between marks in the default stream. Marks are made without waiting; their times
// can be asked for once the GPU has passed them.
class EventTimer {
 public:
  EventTimer() = default;
  ~EventTimer() {
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
  }
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;

  // Forgets the marks, keeps their events for the next ones.
  void Restart() { marks_ = 0; }

  // The number of the mark.
  int Mark() {
    if (marks_ == int(events_.size())) {
      cudaEvent_t event;
      CudaCheck(cudaEventCreate(&event), "cudaEventCreate");
      events_.push_back(event);
    }
    CudaCheck(cudaEventRecord(events_[marks_]), "cudaEventRecord");
    return marks_++;
  }

  // From the mark before `mark` to it.
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
