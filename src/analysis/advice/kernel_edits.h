#pragma once

#include <cstdint>
#include <vector>

#include "analysis/whatif/what_if.h"

namespace warpsight {

// Changes of individual kernels and copies, collected by a rule and applied when its finding is
// replayed.
class KernelEdits {
 public:
  void Scale(GpuId gpu, double factor) { changes_.push_back({gpu, Kind::kScale, factor}); }
  void SetNs(GpuId gpu, double ns) { changes_.push_back({gpu, Kind::kSet, ns}); }
  void AddNs(GpuId gpu, double ns) { changes_.push_back({gpu, Kind::kAdd, ns}); }
  void Remove(GpuId gpu) { changes_.push_back({gpu, Kind::kRemove, 0}); }
  bool empty() const { return changes_.empty(); }

  void operator()(Scenario& scenario) const {
    for (const Change& change : changes_) {
      switch (change.kind) {
        case Kind::kScale:
          scenario.Scale(change.gpu, change.value);
          break;
        case Kind::kSet:
          scenario.SetDuration(change.gpu, static_cast<DurationNs>(change.value));
          break;
        case Kind::kAdd:
          scenario.SetDuration(
              change.gpu, scenario.DurationOf(change.gpu) + static_cast<DurationNs>(change.value));
          break;
        case Kind::kRemove:
          scenario.Remove(change.gpu);
          break;
      }
    }
  }

 private:
  enum class Kind : uint8_t { kScale, kSet, kAdd, kRemove };
  struct Change {
    GpuId gpu;
    Kind kind;
    double value;
  };
  std::vector<Change> changes_;
};

}  // namespace warpsight
