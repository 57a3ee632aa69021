#pragma once

#include <cstdint>
#include <vector>

#include "base/intervals.h"
#include "model/profile.h"

namespace warpsight {

// Usually, the GPUs of a source work on its iterations together. But in some files, GPUs work on an
// iteration one after the other, each launched by its own threads: TensorFlow workers in one
// process. Each of these GPUs is a separate group, together with the threads that launch its work.
// On the CPU, an iteration of such a group lasts from the first to the last event of its threads,
// and does not include waiting for the other groups.
//
// Needs the iterations and the iteration of every row.
class GpuGroups {
 public:
  explicit GpuGroups(ProfileView profile);

  // Groups 0, 1, … are the sources; after them come the GPUs that work alone.
  size_t size() const { return source_.size(); }
  SourceId SourceOf(size_t group) const { return source_[group]; }
  bool IsOneGpu(size_t group) const { return group >= sources_; }
  size_t GroupOf(DeviceId device) const { return of_device_[Index(device)]; }
  size_t GroupOf(ThreadId thread) const { return of_thread_[Index(thread)]; }
  // The iterations on the CPU, by number.
  const std::vector<Interval>& Iterations(size_t group) const { return iterations_[group]; }

 private:
  std::vector<SourceId> source_;  // by group
  size_t sources_ = 0;
  std::vector<uint32_t> of_device_, of_thread_;
  std::vector<std::vector<Interval>> iterations_;
};

}  // namespace warpsight
