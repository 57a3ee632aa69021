#pragma once

#include <cstdint>
#include <vector>

#include "base/intervals.h"
#include "model/profile.h"

namespace warpsight {

// Usually, the GPUs of a source work on its iterations together. But some files contain GPUs that
// work on an iteration one after the other, each launched by its own threads: TensorFlow workers in
// one process. Each of these is a separate group, with the threads that launch for it: for each, an
// iteration lasts on the CPU from the first to the last event of its threads, and does not include
// the wait for the others.
//
// Needs the iterations and the iteration of every row.
class GpuGroups {
 public:
  explicit GpuGroups(ProfileView profile);

  // The sources come first, then the GPUs that work alone.
  size_t size() const { return source_.size(); }
  SourceId SourceOf(size_t group) const { return source_[group]; }
  bool IsOneGpu(size_t group) const { return group >= sources_; }
  size_t GroupOf(DeviceId device) const { return of_device_[Index(device)]; }
  size_t GroupOf(ThreadId thread) const { return of_thread_[Index(thread)]; }
  // The iterations on the CPU, by their number.
  const std::vector<Interval>& Iterations(size_t group) const { return iterations_[group]; }

 private:
  std::vector<SourceId> source_;  // by group
  size_t sources_ = 0;
  std::vector<uint32_t> of_device_, of_thread_;
  std::vector<std::vector<Interval>> iterations_;
};

}  // namespace warpsight
