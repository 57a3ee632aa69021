#pragma once

#include <string_view>
#include <vector>

#include "model/trace.h"

namespace warpsight {

// What a host range's name says about it; the names are PyTorch's.
struct RangeName {
  bool autograd_wrapper = false;  // runs another op backward: evaluate_function: X, XBackward0
  bool wrapper = false;           // only runs other ops: those, and compiled regions
  bool optimizer_step = false;    // Optimizer.step#Adam.step
  bool data_loading = false;      // enumerate(DataLoader)#...
  bool loader_next = false;       // ... its __next__
  bool step_marker = false;       // ProfilerStep#3
};

RangeName ClassifyRangeName(std::string_view name);

// The same by the name's id, each distinct name classified once. Not synchronised.
class RangeNames {
 public:
  explicit RangeNames(const Trace& trace) : trace_(trace), known_(trace.strings.size()) {}

  const RangeName& operator[](StringId name) {
    Entry& entry = known_[Index(name)];
    if (!entry.set) entry = {ClassifyRangeName(trace_.Text(name)), true};
    return entry.name;
  }

 private:
  struct Entry {
    RangeName name;
    bool set = false;
  };
  const Trace& trace_;
  std::vector<Entry> known_;
};

// Whether a CUDA or HIP function waits for the GPU.
bool IsSynchronisation(std::string_view api_name);
// Whether it allocates or frees memory, which may also wait for the GPU.
bool IsAllocation(std::string_view api_name);
// Whether it starts kernels: used only to count launches without a kernel, never to correlate.
bool IsLaunch(std::string_view api_name);

}  // namespace warpsight
