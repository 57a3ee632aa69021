#pragma once

#include <string_view>
#include <vector>

#include "model/trace.h"

namespace warpsight {

// Properties of a host range that follow from its name; the names are PyTorch's.
struct RangeName {
  bool autograd_wrapper = false;  // runs another op backward: evaluate_function: X, XBackward0
  bool backward_node = false;     // ... XBackward0 only
  bool wrapper = false;           // only runs other ops: autograd wrappers, and compiled regions
  bool optimizer_step = false;    // Optimizer.step#Adam.step
  bool data_loading = false;      // enumerate(DataLoader)#..., or PyProf's DataLoader
  bool loader_next = false;       // ... only its __next__
  bool step_marker = false;       // ProfilerStep#3
};

RangeName ClassifyRangeName(std::string_view name);

// Caches the result of `classify` by name id: millions of rows share a few hundred names. Not
// thread-safe.
template <typename Answer>
class ByName {
 public:
  ByName(const Trace& trace, Answer (*classify)(std::string_view))
      : trace_(trace), classify_(classify), known_(trace.strings.size()) {}

  const Answer& operator[](StringId name) {
    Entry& entry = known_[Index(name)];
    if (!entry.set) entry = {classify_(trace_.Text(name)), true};
    return entry.answer;
  }

 private:
  struct Entry {
    Answer answer{};
    bool set = false;
  };
  const Trace& trace_;
  Answer (*classify_)(std::string_view);
  std::vector<Entry> known_;
};

class RangeNames : public ByName<RangeName> {
 public:
  explicit RangeNames(const Trace& trace) : ByName(trace, ClassifyRangeName) {}
};

// Whether a system call reads or writes a file, socket or pipe.
bool IsFileAccess(std::string_view system_call);
// Whether a CUDA or HIP function waits for the GPU.
bool IsSynchronization(std::string_view api_name);
// Whether it makes later work in a stream wait for an event, a value in memory or a host function.
bool IsStreamWait(std::string_view api_name);
// Whether it enqueues a host function, which runs when the work before it has finished.
bool IsHostCallback(std::string_view api_name);
// Whether it allocates or frees memory, which may also wait for the GPU.
bool IsAllocation(std::string_view api_name);
// Whether it replays a graph.
bool IsGraphLaunch(std::string_view api_name);
// Whether XLA records launches into a graph in this range: they start no work.
bool IsGraphRecording(std::string_view name);
// Whether the launches of its thread are recorded into a graph from this call on, or no longer.
bool IsCaptureBegin(std::string_view api_name);
bool IsCaptureEnd(std::string_view api_name);
// Whether it launches kernels. Used only to count launches without a kernel, never to correlate.
bool IsLaunch(std::string_view api_name);

}  // namespace warpsight
