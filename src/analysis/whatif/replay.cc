#include "analysis/whatif/replay.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace warpsight {
namespace {

// The number of rounds after which the length of a round no longer changes; in practice 2 or 3 are
// enough. The second round begins with the queues that the first one left.
constexpr int kMaxRounds = 8;
// Two rounds are steady if their lengths differ by less than a thousandth.
constexpr int64_t kSteady = 1000;

// The simulated times of all nodes.
struct Clock {
  std::vector<TimeNs> call_start, call_end, task_end;

  explicit Clock(const StepGraph& graph)
      : call_start(graph.calls.size()),
        call_end(graph.calls.size()),
        task_end(graph.tasks.size()),
        task_start(graph.tasks.size()) {}

  TimeNs CallBegin(const CallNode& node) const {
    TimeNs begin = node.before == kNoNode ? 0 : call_end[node.before];
    if (node.handover != kNoNode) {
      begin = std::max(begin, call_end[node.handover] + node.handover_delay);
    }
    return begin;
  }

  TimeNs Released(const TaskNode& node) const {
    return (node.after_call ? call_end : call_start)[node.launch] + node.launch_delay;
  }

  void Run(const StepGraph& graph, uint32_t position) {
    if (position & StepGraph::kTaskBit) {
      RunTask(graph, position & ~StepGraph::kTaskBit);
    } else {
      RunCall(graph, position);
    }
  }

  std::vector<TimeNs> task_start;

 private:
  void RunCall(const StepGraph& graph, uint32_t i) {
    const CallNode& node = graph.calls[i];
    call_start[i] = CallBegin(node) + node.work;
    call_end[i] = call_start[i] + node.call;
    if (node.wait_for != kNoNode) {
      call_end[i] = std::max(call_end[i], task_end[node.wait_for] + node.wait_delay);
    }
  }

  void RunTask(const StepGraph& graph, uint32_t i) {
    const TaskNode& node = graph.tasks[i];
    if (node.removed) {
      task_start[i] = task_end[i] = node.before == kNoNode ? 0 : task_end[node.before];
      return;
    }
    TimeNs start = 0;
    if (node.launch != kNoNode) start = Released(node);
    if (node.before != kNoNode) {
      start = std::max({start, task_end[node.before] + node.gap, task_start[node.before]});
    }
    if (node.other != kNoNode) start = std::max(start, task_end[node.other] + node.other_delay);
    task_start[i] = start;
    task_end[i] = start + node.duration;
  }
};

TimeNs Frontier(const Clock& clock) {
  TimeNs latest = 0;
  for (const TimeNs end : clock.call_end) latest = std::max(latest, end);
  for (const TimeNs end : clock.task_end) latest = std::max(latest, end);
  return latest;
}

// Whether the recording shows how iterations follow each other: it has several, or work of an
// earlier one is still in the queue. A single iteration that began with empty queues may be a
// single pass, or may have needed the results of the previous one, so overlap with a next one must
// not be assumed.
bool ShowsRepetition(const StepGraph& graph) { return graph.iterations > 1 || graph.backlog > 0; }

// The length of a round of all iterations when it is steady, or of the only round.
DurationNs SteadyRound(const StepGraph& graph, Clock& clock, TimeNs& frontier) {
  const int rounds = ShowsRepetition(graph) ? kMaxRounds : 1;
  DurationNs length = 0;
  for (int round = 0; round < rounds; ++round) {
    for (const uint32_t position : graph.order) clock.Run(graph, position);
    const TimeNs now = Frontier(clock);
    const DurationNs before = length;
    length = now - frontier;
    frontier = now;
    if (round > 0 && std::abs(length - before) * kSteady <= length) break;
  }
  return length;
}

// Walks back from the node that finished last, along the dependency for which each node waited.
// Time only decreases, so that every moment of the round belongs to exactly one part, even if nodes
// overlap.
class CriticalPath {
 public:
  CriticalPath(const Trace& trace, const StepGraph& graph, const Clock& clock, TimeNs from)
      : trace_(trace), graph_(graph), clock_(clock), from_(from) {}

  std::array<DurationNs, kPathPartCount> Walk() {
    for (uint32_t i = 0; i < graph_.calls.size(); ++i) Consider(i, clock_.call_end[i]);
    for (uint32_t i = 0; i < graph_.tasks.size(); ++i) {
      Consider(i | StepGraph::kTaskBit, clock_.task_end[i]);
    }
    // Each iteration goes back in the order; the bound only guards against an error in the graph.
    for (size_t n = 0; n < graph_.order.size() && at_ != kNoNode && time_ > from_; ++n) {
      if (at_ & StepGraph::kTaskBit) {
        BackFromTask(at_ & ~StepGraph::kTaskBit);
      } else {
        BackFromCall(at_);
      }
    }
    // The remaining time: the first work of a round begins after a pause that follows the last work
    // of the previous round.
    SpendUntil(PathPart::kLaunchDelay, from_);
    return parts_;
  }

 private:
  void Consider(uint32_t node, TimeNs end) {
    if (at_ != kNoNode && end <= time_) return;
    at_ = node;
    time_ = end;
  }

  void SpendUntil(PathPart part, TimeNs until) {
    until = std::max(from_, std::min(until, time_));
    parts_[static_cast<size_t>(part)] += time_ - until;
    time_ = until;
  }

  // Continues with a node that ended at `end`; the time since then is spent on `part`.
  void GoTo(uint32_t node, PathPart part, TimeNs end) {
    SpendUntil(part, end);
    at_ = node;
  }

  // Finds what held a task back: it ended exactly at the task's start. The node before the first
  // one of a stream or thread belongs to the previous round, and its clock already contains this
  // round.
  void BackFromTask(uint32_t i) {
    const TaskNode& node = graph_.tasks[i];
    const bool kernel = trace_.tables.gpu.kind[Index(node.gpu)] == GpuKind::kKernel;
    const TimeNs start = clock_.task_start[i];
    SpendUntil(kernel ? PathPart::kKernels : PathPart::kCopies, start);
    at_ = kNoNode;
    if (node.before < i) {
      const uint32_t before = node.before | StepGraph::kTaskBit;
      const TimeNs end = clock_.task_end[node.before];
      if (end + (node.removed ? 0 : node.gap) == start) {
        return GoTo(before, PathPart::kLaunchDelay, end);
      }
      // Work that overlaps the previous work cannot start before it.
      if (clock_.task_start[node.before] == start) {
        return GoTo(before, PathPart::kLaunchDelay, start);
      }
    }
    if (node.removed) return;
    if (node.other != kNoNode && clock_.task_end[node.other] + node.other_delay == start) {
      return GoTo(node.other | StepGraph::kTaskBit, PathPart::kLaunchDelay,
                  clock_.task_end[node.other]);
    }
    if (node.launch != kNoNode && clock_.Released(node) == start) {
      GoTo(node.launch, PathPart::kLaunchDelay, start - node.launch_delay);
    }
  }

  void BackFromCall(uint32_t i) {
    const CallNode& node = graph_.calls[i];
    if (node.wait_for != kNoNode && time_ == clock_.call_end[i] &&
        time_ > clock_.call_start[i] + node.call) {
      return GoTo(node.wait_for | StepGraph::kTaskBit, PathPart::kWaiting,
                  clock_.task_end[node.wait_for]);
    }
    SpendUntil(PathPart::kCalls, clock_.call_start[i]);
    const TimeNs begin = clock_.call_start[i] - node.work;
    SpendUntil(PathPart::kCpu, begin);
    at_ = kNoNode;
    if (node.handover != kNoNode && clock_.call_end[node.handover] + node.handover_delay == begin) {
      return GoTo(node.handover, PathPart::kCpu, clock_.call_end[node.handover]);
    }
    if (node.before != kNoNode && clock_.call_end[node.before] == begin) at_ = node.before;
  }

  const Trace& trace_;
  const StepGraph& graph_;
  const Clock& clock_;
  TimeNs from_;
  uint32_t at_ = kNoNode;
  TimeNs time_ = 0;
  std::array<DurationNs, kPathPartCount> parts_{};
};

}  // namespace

std::string_view ToString(PathPart part) {
  switch (part) {
    case PathPart::kKernels:
      return "kernels";
    case PathPart::kCopies:
      return "copies";
    case PathPart::kCpu:
      return "CPU work";
    case PathPart::kCalls:
      return "CUDA calls";
    case PathPart::kLaunchDelay:
      return "launch delays";
    case PathPart::kWaiting:
      break;
  }
  return "synchronization";
}

PathPart Replay::Bottleneck() const {
  const auto largest = std::max_element(path.begin(), path.end());
  return static_cast<PathPart>(largest - path.begin());
}

void Replay::Resize(DurationNs length) {
  const DurationNs before = std::accumulate(path.begin(), path.end(), DurationNs{0});
  step = length;
  if (before <= 0) return;
  const double factor = static_cast<double>(length) / static_cast<double>(before);
  DurationNs after = 0;
  for (DurationNs& part : path) {
    part = std::llround(static_cast<double>(part) * factor);
    after += part;
  }
  // Rounding errors are added to the largest part, where they are least visible.
  path[static_cast<size_t>(Bottleneck())] += length - after;
}

DurationNs ReplayAsMeasured(const StepGraph& graph) {
  if (graph.iterations == 0) return 0;
  Clock clock(graph);
  std::fill(clock.task_end.begin(), clock.task_end.end(), graph.backlog);
  for (const uint32_t position : graph.order) clock.Run(graph, position);
  return (Frontier(clock) - graph.backlog) / graph.iterations;
}

Replay ReplayGraph(const Trace& trace, const StepGraph& graph) {
  Replay result;
  if (graph.iterations == 0) return result;
  Clock clock(graph);
  TimeNs frontier = 0;
  const DurationNs round = SteadyRound(graph, clock, frontier);
  const DurationNs busy = BusyTime(graph);
  result.path = CriticalPath(trace, graph, clock, frontier - round).Walk();
  result.path[static_cast<size_t>(PathPart::kKernels)] += std::max<DurationNs>(0, busy - round);
  result.Resize(std::max(round, busy) / graph.iterations);
  return result;
}

DurationNs ReplayStep(const StepGraph& graph) {
  if (graph.iterations == 0) return 0;
  Clock clock(graph);
  TimeNs frontier = 0;
  return std::max(SteadyRound(graph, clock, frontier), BusyTime(graph)) / graph.iterations;
}

DurationNs ReplayStep(std::span<const StepGraph> graphs) {
  DurationNs slowest = 0;
  for (const StepGraph& graph : graphs) slowest = std::max(slowest, ReplayStep(graph));
  return slowest;
}

}  // namespace warpsight
