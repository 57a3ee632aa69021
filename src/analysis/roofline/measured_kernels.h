#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/hash_map.h"
#include "model/trace.h"

namespace warpsight {

// Hardware counters of the kernels with one name, grid and block: the mean of the measured
// launches. kMissingReal if a counter was not read.
struct MeasuredKernel {
  double dram_bytes = kMissingReal;  // read and written
  double tensor_active_percent = kMissingReal;
  double sm_active_percent = kMissingReal;
};

// Finds the measurements of kernels on the timeline, which were made in a separate run. After
// construction, it may be used from any thread. Refers to the trace, which must outlive it.
class MeasuredKernels {
 public:
  explicit MeasuredKernels(const Trace& trace);

  // Null if no kernel with this name, grid and block was measured, and for other GPU work.
  const MeasuredKernel* Find(GpuId gpu) const;

 private:
  using Key = std::pair<StringId, uint32_t>;

  const Trace& trace_;
  std::vector<uint32_t> shape_of_config_;  // equal for configs with the same grid and block
  HashMap<Key, MeasuredKernel> kernels_;
};

// The measurements of several kernels together.
class MeasuredSum {
 public:
  // Adds a kernel of the timeline and the result of Find() for it.
  void Add(const MeasuredKernel* kernel, DurationNs duration);
  void Merge(const MeasuredSum& other);

  // The results are kMissingReal unless every kernel was measured: otherwise a part would be
  // mistaken for the whole.
  double DramBytes() const { return Whole(dram_bytes_); }
  // The bytes over the time of the kernels.
  double DramBytesPerSecond() const;
  // Averages over the time of the kernels.
  double TensorActivePercent() const { return Average(tensor_active_); }
  double SmActivePercent() const { return Average(sm_active_); }

 private:
  struct Part {
    double sum = 0;
    int64_t kernels = 0;
  };
  static void AddTo(Part& part, double value, double weight);
  double Whole(const Part& part) const;
  double Average(const Part& part) const;

  int64_t kernels_ = 0;
  DurationNs time_ = 0;
  Part dram_bytes_, tensor_active_, sm_active_;
};

}  // namespace warpsight
