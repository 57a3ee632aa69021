#pragma once

#include <cstdint>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "model/profile.h"

namespace warpsight {

// The aggregated iterations of one group of GPUs (gpu_groups.h) as a dependency graph that can be
// edited and replayed.
//
// There are two kinds of nodes. A call is one CUDA API call on a CPU thread together with the CPU
// work that leads to it; a task is one piece of GPU work. Edges are
//   thread order   a call begins when the one before it on its thread has finished,
//   hand-over      or when another thread has finished what this one waited for (autograd),
//   launch         a task starts some time after the call that started it,
//   stream order   and after the task before it on its stream,
//   cross-stream   and after a task of another stream that it was seen to wait for,
//   host wait      a call that synchronizes finishes after the task it waits for; where a framework
//                  waits without a call, there is a node for the wait.
// All times are durations, never absolute: a replay visits the nodes and takes maxima. Time that
// the trace does not explain (a late start without a known reason) stays as a fixed delay.
//
// The first call of a thread follows the last one, and the first task of a stream its last one: the
// iterations repeat. Nodes refer to each other by position.
inline constexpr uint32_t kNoNode = UINT32_MAX;

struct CallNode {
  ApiId api;  // kNone: a wait without a call, or the CPU work between the last call and the end
  ThreadId thread;
  uint32_t before = kNoNode;    // call before it on its thread
  uint32_t handover = kNoNode;  // call of another thread that this thread waited for
  uint32_t wait_for = kNoNode;  // task without which the call cannot finish
  uint32_t host_ranges = 0;     // host ranges recorded in `work`: what the profiler had to record
  DurationNs handover_delay = 0;
  DurationNs work = 0;        // CPU time before the call
  DurationNs call = 0;        // CPU time in the call, without waiting for the GPU
  DurationNs wait_delay = 0;  // from the end of `wait_for` to the end of the call
  Interval measured;          // when `work` was done: for edits of parts of it
  TimeNs resumed = 0;         // of a wait without a call: when the thread went on; else 0
};

struct TaskNode {
  GpuId gpu;
  uint32_t launch = kNoNode;  // call
  uint32_t before = kNoNode;  // task before it on its stream
  uint32_t other = kNoNode;   // task of another stream
  bool after_call = false;    // the launch delay counts from the end of the call, not its start
  bool removed = false;       // passes the time on to the next task of its stream
  DurationNs launch_delay = 0;
  DurationNs gap = 0;  // the least time after `before`; negative if they overlapped
  DurationNs other_delay = 0;
  DurationNs duration = 0;
  DeviceId device{};
  // What it added to the time in which its GPU was busy: time in which several tasks ran is shared
  // among them. 0 for tasks that an edit lets run beside others.
  DurationNs exclusive = 0;
};

struct StepGraph {
  size_t group = 0;
  int64_t iterations = 0;
  std::vector<CallNode> calls;
  std::vector<TaskNode> tasks;
  // All nodes so that each comes after those it depends on; tasks have kTaskBit set.
  std::vector<uint32_t> order;
  static constexpr uint32_t kTaskBit = 1u << 31;

  // The GPU was still busy with earlier work for so long after the range had begun on the CPU.
  DurationNs backlog = 0;

  // Typical values of this trace, for nodes that edits bring into a new situation.
  DurationNs launch_delay = 0;  // from the start of a call to the start of its task on an idle GPU
  DurationNs launch_call = 0;   // length of a launching call
  DurationNs gap = 0;           // between tasks of a stream that never ran dry
};

// How long the GPUs are busy in all iterations, on the one that is so longest, if tasks that ran
// one after the other still do: kernels that fill a GPU do not get faster by running at the same
// time. No edit of CPU work can make the iterations shorter than this.
DurationNs BusyTime(const StepGraph& graph);

// One graph per group of GPUs that has work in the range.
std::vector<StepGraph> BuildStepGraphs(ProfileView profile, const RangeSummary& range);

}  // namespace warpsight
