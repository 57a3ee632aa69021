#include "analysis/roofline/measured_kernels.h"

#include <limits>

namespace warpsight {
namespace {

// The mean of the values that are not missing.
class Mean {
 public:
  void Add(double value) {
    if (value < 0) return;
    sum_ += value;
    ++count_;
  }
  double Get() const { return count_ == 0 ? kMissingReal : sum_ / static_cast<double>(count_); }

 private:
  double sum_ = 0;
  int64_t count_ = 0;
};

// Bytes of the launches with the fewest passes: before a second pass, memory is restored, and the
// data that this leaves in the cache is written while the kernel runs.
class Bytes {
 public:
  void Add(double bytes, int64_t passes) {
    if (passes == kMissing) passes = std::numeric_limits<int64_t>::max();
    if (passes > fewest_) return;
    if (passes < fewest_) {
      fewest_ = passes;
      mean_ = Mean();
    }
    mean_.Add(bytes);
  }
  double Get() const { return mean_.Get(); }

 private:
  int64_t fewest_ = std::numeric_limits<int64_t>::max();
  Mean mean_;
};

struct Means {
  Bytes dram_bytes;
  Mean tensor_active, sm_active;
};

// By launch config: a number shared by those with the same grid and block.
std::vector<uint32_t> NumberShapes(const LaunchConfigsTable& t) {
  HashMap<std::array<int64_t, 6>, uint32_t> numbers;
  std::vector<uint32_t> shapes;
  shapes.reserve(t.grid_x.size());
  for (size_t i = 0; i < t.grid_x.size(); ++i) {
    const std::array<int64_t, 6> shape{t.grid_x[i],  t.grid_y[i],  t.grid_z[i],
                                       t.block_x[i], t.block_y[i], t.block_z[i]};
    const auto next = static_cast<uint32_t>(numbers.size());
    shapes.push_back(numbers.try_emplace(shape, next).first->second);
  }
  return shapes;
}

}  // namespace

MeasuredKernels::MeasuredKernels(const Trace& trace) : trace_(trace) {
  const KernelCountersTable& t = trace.tables.kernel_counters;
  if (t.name.empty()) return;
  shape_of_config_ = NumberShapes(trace.tables.launch_configs);
  HashMap<Key, Means> means;
  for (size_t i = 0; i < t.name.size(); ++i) {
    if (!IsSet(t.launch_config[i])) continue;
    Means& kernel = means[{t.name[i], shape_of_config_[Index(t.launch_config[i])]}];
    if (t.dram_read_bytes[i] != kMissing && t.dram_write_bytes[i] != kMissing) {
      kernel.dram_bytes.Add(static_cast<double>(t.dram_read_bytes[i] + t.dram_write_bytes[i]),
                            t.passes[i]);
    }
    kernel.tensor_active.Add(t.tensor_active_percent[i]);
    kernel.sm_active.Add(t.sm_active_percent[i]);
  }
  for (const auto& [key, kernel] : means) {
    kernels_[key] = {kernel.dram_bytes.Get(), kernel.tensor_active.Get(), kernel.sm_active.Get()};
  }
}

const MeasuredKernel* MeasuredKernels::Find(GpuId gpu) const {
  if (kernels_.empty()) return nullptr;
  const GpuActivitiesTable& t = trace_.tables.gpu;
  const size_t row = Index(gpu);
  if (t.kind[row] != GpuKind::kKernel || !IsSet(t.launch_config[row])) return nullptr;
  const auto at = kernels_.find(Key(t.name[row], shape_of_config_[Index(t.launch_config[row])]));
  return at == kernels_.end() ? nullptr : &at->second;
}

void MeasuredSum::AddTo(Part& part, double value, double weight) {
  if (value < 0) return;
  part.sum += value * weight;
  ++part.kernels;
}

void MeasuredSum::Add(const MeasuredKernel* kernel, DurationNs duration) {
  ++kernels_;
  time_ += duration;
  if (kernel == nullptr) return;
  const auto weight = static_cast<double>(duration);
  AddTo(dram_bytes_, kernel->dram_bytes, 1);
  AddTo(tensor_active_, kernel->tensor_active_percent, weight);
  AddTo(sm_active_, kernel->sm_active_percent, weight);
}

void MeasuredSum::Merge(const MeasuredSum& other) {
  const auto merge = [](Part& part, const Part& more) {
    part.sum += more.sum;
    part.kernels += more.kernels;
  };
  kernels_ += other.kernels_;
  time_ += other.time_;
  merge(dram_bytes_, other.dram_bytes_);
  merge(tensor_active_, other.tensor_active_);
  merge(sm_active_, other.sm_active_);
}

double MeasuredSum::Whole(const Part& part) const {
  return kernels_ > 0 && part.kernels == kernels_ ? part.sum : kMissingReal;
}

double MeasuredSum::Average(const Part& part) const {
  const double whole = Whole(part);
  return whole < 0 || time_ <= 0 ? kMissingReal : whole / static_cast<double>(time_);
}

double MeasuredSum::DramBytesPerSecond() const {
  constexpr double kNsPerSecond = 1e9;
  const double bytes_per_ns = Average(dram_bytes_);
  return bytes_per_ns < 0 ? kMissingReal : bytes_per_ns * kNsPerSecond;
}

}  // namespace warpsight
