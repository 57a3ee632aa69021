#include "analysis/whatif/step_graph.h"

#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "analysis/accounting/gpu_work.h"
#include "analysis/accounting/host_work.h"
#include "analysis/accounting/waiting_calls.h"
#include "analysis/facts/range_names.h"
#include "analysis/iterations/gpu_groups.h"
#include "analysis/whatif/handover.h"
#include "base/order.h"
#include "base/statistics.h"
#include "base/text.h"

namespace warpsight {
namespace {

// Work that starts within this time after the previous work on its stream waited only for that
// work: the gap between queued kernels is 1 to 2 us on current GPUs.
constexpr DurationNs kQueued = 3'000;
// A launch on an idle GPU takes 2 to 20 us; if it takes longer, something else delayed it.
constexpr DurationNs kLongLatency = 50'000;
// A launch waited for a full queue (1024 launches on current drivers) if it takes more than
// kSlowLaunch times as long as others and more than kDeepQueue earlier launches have not started.
constexpr DurationNs kSlowLaunch = 3;
constexpr ptrdiff_t kDeepQueue = 500;
// The CPU time of a synchronizing call without waiting.
constexpr DurationNs kSyncCall = 2'000;
// Typical values, for traces that do not contain any.
constexpr DurationNs kDefaultLaunchCall = 5'000;
constexpr DurationNs kDefaultLaunchDelay = 5'000;
constexpr DurationNs kDefaultGap = 1'000;

enum class CallKind : uint8_t { kPlain, kSync, kAllocation };

CallKind KindOfCall(std::string_view name) {
  if (IsSynchronization(name)) return CallKind::kSync;
  return IsAllocation(name) ? CallKind::kAllocation : CallKind::kPlain;
}

DurationNs MedianOr(std::vector<DurationNs>& values, DurationNs otherwise) {
  return values.empty() ? otherwise : UpperMedian(values);
}

// The GPU work of a group, ordered by end: finds the work that had just ended.
class EndedWork {
 public:
  struct Ended {
    TimeNs end;
    uint32_t task;
  };

  void Add(TimeNs end, uint32_t task) { ends_.push_back({end, task}); }
  void Sort() {
    std::stable_sort(ends_.begin(), ends_.end(),
                     [](const Ended& a, const Ended& b) { return a.end < b.end; });
  }
  // The last work that ended at or before `time`, or null.
  const Ended* LastBefore(TimeNs time) const {
    const auto after = std::partition_point(ends_.begin(), ends_.end(),
                                            [&](const Ended& e) { return e.end <= time; });
    return after == ends_.begin() ? nullptr : &*(after - 1);
  }

 private:
  std::vector<Ended> ends_;
};

class GraphBuilder {
 public:
  GraphBuilder(ProfileView profile, const RangeSummary& range)
      : profile_(profile),
        trace_(profile.trace),
        facts_(profile.facts),
        range_(range),
        api_(trace_.tables.api),
        gpu_(trace_.tables.gpu),
        launching_(LaunchingThreads(trace_, facts_)),
        groups_(profile),
        graphs_(groups_.size()),
        cpu_range_(graphs_.size(), Interval{0, 0}),
        gpu_start_(graphs_.size()),
        ended_(graphs_.size()),
        thread_calls_(RowCount(trace_.tables.threads)),
        busy_until_(thread_calls_.size()),
        call_of_api_(api_.start.size(), kNoNode),
        first_gpu_of_api_(api_.start.size(), kNone<GpuId>) {}

  std::vector<StepGraph> Run() {
    CpuTimes active;
    tbb::parallel_invoke([&] { active = ActiveTimes(trace_, launching_); },
                         [&] {
                           SetIterations();
                           AddTasks();
                           MeasureTypicalCalls();
                           AddCalls();
                           AddTails();
                           SplitAtWaits();
                           CloseThreads();
                           CountHostRanges(trace_, thread_calls_, groups_, graphs_);
                         });
    // Hand-overs change only calls, connections only tasks.
    tbb::parallel_invoke([&] { FindHandovers(trace_, active, thread_calls_, groups_, graphs_); },
                         [&] {
                           MeasureTypicalDelays();
                           ConnectTasks();
                         });
    for (StepGraph& graph : graphs_) SetOrder(graph);
    std::erase_if(graphs_, [](const StepGraph& g) { return g.iterations == 0 || g.tasks.empty(); });
    return std::move(graphs_);
  }

 private:
  TimeNs ApiEnd(size_t a) const { return api_.start[a] + api_.duration[a]; }
  TimeNs GpuEnd(GpuId g) const { return gpu_.start[Index(g)] + gpu_.duration[Index(g)]; }
  TimeNs Start(const TaskNode& task) const { return gpu_.start[Index(task.gpu)]; }

  void SetIterations() {
    for (size_t group = 0; group < graphs_.size(); ++group) {
      StepGraph& graph = graphs_[group];
      graph.group = group;
      const std::vector<Interval>& iterations = groups_.Iterations(group);
      const auto count = static_cast<int64_t>(iterations.size());
      for (int64_t i = range_.first; i <= range_.last && i < count; ++i) {
        const Interval& iteration = iterations[static_cast<size_t>(i)];
        if (graph.iterations++ == 0) cpu_range_[group].start = iteration.start;
        cpu_range_[group].end = std::max(cpu_range_[group].end, iteration.end);
      }
      gpu_start_[group] = range_.windows[Index(groups_.SourceOf(group))].start;
    }
    for (size_t d = 0; d < range_.gpu_windows.size(); ++d) {
      const size_t group = groups_.GroupOf(MakeId<DeviceId>(d));
      if (groups_.IsOneGpu(group)) gpu_start_[group] = range_.gpu_windows[d].start;
    }
    for (StepGraph& graph : graphs_) {
      graph.backlog =
          std::max<DurationNs>(0, gpu_start_[graph.group] - cpu_range_[graph.group].start);
    }
  }

  void AddTasks() {
    for (size_t g = 0; g < gpu_.start.size(); ++g) {
      if (!range_.Contains(profile_, facts_.gpu.iteration[g])) continue;
      const size_t group = groups_.GroupOf(trace_.DeviceOf(gpu_.stream[g]));
      // If the GPUs of a file take turns, work before a GPU's own turn is left out.
      if (groups_.IsOneGpu(group) && gpu_.start[g] < gpu_start_[group]) continue;
      StepGraph& graph = graphs_[group];
      TaskNode node;
      node.gpu = MakeId<GpuId>(g);
      node.duration = gpu_.duration[g];
      node.device = trace_.DeviceOf(gpu_.stream[g]);
      ended_[group].Add(GpuEnd(node.gpu), static_cast<uint32_t>(graph.tasks.size()));
      graph.tasks.push_back(node);
      const ApiId call = facts_.gpu.api[g];
      if (IsSet(call) && !IsSet(first_gpu_of_api_[Index(call)])) {
        first_gpu_of_api_[Index(call)] = node.gpu;
      }
    }
    for (EndedWork& ended : ended_) ended.Sort();
    for (StepGraph& graph : graphs_) ShareBusyTime(graph);
  }

  // While n tasks run on a GPU, each gets an n-th of the time.
  void ShareBusyTime(StepGraph& graph) const {
    struct Border {
      DeviceId device;
      TimeNs time;
      uint32_t task;
      bool ends;
    };
    std::vector<Border> borders;
    borders.reserve(2 * graph.tasks.size());
    for (uint32_t t = 0; t < graph.tasks.size(); ++t) {
      const TaskNode& task = graph.tasks[t];
      borders.push_back({task.device, Start(task), t, false});
      borders.push_back({task.device, Start(task) + task.duration, t, true});
    }
    std::stable_sort(borders.begin(), borders.end(), [](const Border& a, const Border& b) {
      return a.device != b.device ? a.device < b.device : a.time < b.time;
    });
    std::vector<double> at_start(graph.tasks.size());
    double shared = 0;  // the integral of busy time / number of running tasks
    int64_t running = 0;
    TimeNs before = 0;
    for (const Border& border : borders) {
      if (running > 0) {
        shared += static_cast<double>(border.time - before) / static_cast<double>(running);
      }
      before = border.time;
      if (border.ends) {
        graph.tasks[border.task].exclusive = std::llround(shared - at_start[border.task]);
        --running;
      } else {
        at_start[border.task] = shared;
        ++running;
      }
    }
  }

  void MeasureTypicalCalls() {
    std::vector<std::vector<DurationNs>> launches(graphs_.size());
    for (size_t a = 0; a < api_.start.size(); ++a) {
      const GpuId first = first_gpu_of_api_[a];
      if (!IsSet(first) || gpu_.kind[Index(first)] != GpuKind::kKernel) continue;
      launches[groups_.GroupOf(api_.thread[a])].push_back(api_.duration[a]);
    }
    for (size_t s = 0; s < graphs_.size(); ++s) {
      graphs_[s].launch_call = MedianOr(launches[s], kDefaultLaunchCall);
    }
  }

  // Adds calls in timeline order. A call inside another one (a driver call made by a runtime call)
  // is part of the outer call.
  void AddCalls() {
    ByName<CallKind> kinds(trace_, KindOfCall);
    for (size_t a = 0; a < api_.start.size(); ++a) {
      const ThreadId thread = api_.thread[a];
      if (!launching_[Index(thread)]) continue;
      if (!range_.Contains(profile_, facts_.api.iteration[a])) continue;
      std::vector<uint32_t>& calls = thread_calls_[Index(thread)];
      TimeNs& busy_until = busy_until_[Index(thread)];
      if (calls.empty()) {
        busy_until = std::min(cpu_range_[groups_.GroupOf(thread)].start, api_.start[a]);
      } else if (api_.start[a] < busy_until) {
        call_of_api_[a] = calls.back();
        busy_until = std::max(busy_until, ApiEnd(a));
        continue;
      }
      AddCall(a, busy_until, kinds[api_.name[a]]);
      busy_until = ApiEnd(a);
    }
  }

  void AddCall(size_t a, TimeNs since, CallKind kind) {
    const ThreadId thread = api_.thread[a];
    StepGraph& graph = graphs_[groups_.GroupOf(thread)];
    CallNode node;
    node.api = MakeId<ApiId>(a);
    node.thread = thread;
    node.measured = {since, api_.start[a]};
    node.work = api_.start[a] - since;
    node.call = api_.duration[a];
    const GpuId own = OwnWork(graph, a);
    const bool copy = IsSet(own) && gpu_.kind[Index(own)] == GpuKind::kCopy;
    if (copy && GpuEnd(own) <= ApiEnd(a)) {
      AddBlockingCopy(graph, node, own);
      return;
    }
    const bool full_queue = IsSet(own) && api_.duration[a] > kSlowLaunch * graph.launch_call &&
                            QueueBefore(own, ApiEnd(a)) > kDeepQueue;
    if (full_queue) node.call = graph.launch_call;
    const auto* last = ended_[graph.group].LastBefore(ApiEnd(a));
    const bool blocked = last != nullptr && last->end > api_.start[a];
    if (kind == CallKind::kSync || (blocked && (full_queue || kind == CallKind::kAllocation))) {
      node.wait_for = last == nullptr ? kNoNode : last->task;
      if (blocked) {
        node.wait_delay = ApiEnd(a) - last->end;
        node.call = std::min(node.call, full_queue ? graph.launch_call : kSyncCall);
      }
    }
    Append(graph, node);
  }

  // The first work of a call, unless it ran on a GPU of another group, whose graph contains its
  // task.
  GpuId OwnWork(const StepGraph& graph, size_t call) const {
    const GpuId gpu = first_gpu_of_api_[call];
    if (!IsSet(gpu)) return gpu;
    const DeviceId device = trace_.DeviceOf(gpu_.stream[Index(gpu)]);
    return groups_.GroupOf(device) == graph.group ? gpu : kNone<GpuId>;
  }

  // The amount of GPU work that ran between `time` and the start of other work, and was therefore
  // in the queue before it.
  ptrdiff_t QueueBefore(GpuId gpu, TimeNs time) const {
    const auto row = gpu_.start.begin() + static_cast<ptrdiff_t>(Index(gpu));
    return row - std::lower_bound(gpu_.start.begin(), row, time);
  }

  // Adds a copy that ended before its call returned: the call starts the copy, then waits for it.
  void AddBlockingCopy(StepGraph& graph, CallNode node, GpuId copy) {
    const size_t a = Index(node.api);
    node.call = std::clamp<DurationNs>(gpu_.start[Index(copy)] - api_.start[a], 0, node.call);
    Append(graph, node);
    CallNode wait;
    wait.api = node.api;
    wait.thread = node.thread;
    wait.measured = {api_.start[a], api_.start[a]};
    wait.wait_for = TaskOf(graph, copy);
    wait.wait_delay = ApiEnd(a) - GpuEnd(copy);
    const uint32_t launch = thread_calls_[Index(node.thread)].back();
    Append(graph, wait);
    call_of_api_[a] = launch;
  }

  void Append(StepGraph& graph, CallNode node) {
    std::vector<uint32_t>& calls = thread_calls_[Index(node.thread)];
    if (!calls.empty()) node.before = calls.back();
    calls.push_back(static_cast<uint32_t>(graph.calls.size()));
    if (IsSet(node.api)) call_of_api_[Index(node.api)] = calls.back();
    graph.calls.push_back(node);
  }

  // Tasks are ordered by row.
  static uint32_t TaskOf(const StepGraph& graph, GpuId gpu) {
    const auto at = std::partition_point(graph.tasks.begin(), graph.tasks.end(),
                                         [&](const auto& t) { return Index(t.gpu) < Index(gpu); });
    return static_cast<uint32_t>(at - graph.tasks.begin());
  }

  // After the last call of a range, its thread may continue to work until the end of the range.
  void AddTails() {
    for (size_t s = 0; s < graphs_.size(); ++s) {
      const uint32_t last = LastCall(s);
      if (last == kNoNode) continue;
      const ThreadId thread = graphs_[s].calls[last].thread;
      const Interval rest = {busy_until_[Index(thread)], cpu_range_[s].end};
      if (rest.end <= rest.start) continue;
      CallNode tail;
      tail.api = kNone<ApiId>;
      tail.thread = thread;
      tail.measured = rest;
      tail.work = rest.end - rest.start;
      Append(graphs_[s], tail);
    }
  }

  // If the work before a call contains a wait without a call, adds a node for the wait.
  void SplitAtWaits() {
    for (const HostWait& wait : FindHostWaits(trace_, facts_)) {
      std::vector<uint32_t>& calls = thread_calls_[Index(wait.thread)];
      if (IsSet(wait.call) || calls.empty()) continue;
      StepGraph& graph = graphs_[groups_.GroupOf(wait.thread)];
      const auto at = std::partition_point(calls.begin(), calls.end(), [&](uint32_t call) {
        return graph.calls[call].measured.end < wait.end;
      });
      if (at == calls.end() || graph.calls[*at].measured.start > wait.start) continue;
      const auto* last = ended_[graph.group].LastBefore(wait.end);
      if (last == nullptr || last->end <= wait.start) continue;
      CallNode& call = graph.calls[*at];
      CallNode node;
      node.api = kNone<ApiId>;
      node.thread = wait.thread;
      node.before = call.before;
      node.measured = {call.measured.start, wait.start};
      node.work = wait.start - call.measured.start;
      node.wait_for = last->task;
      node.wait_delay = wait.end - last->end;
      node.resumed = wait.end;
      call.before = static_cast<uint32_t>(graph.calls.size());
      call.work = call.measured.end - wait.end;
      call.measured.start = wait.end;
      calls.insert(at, call.before);
      graph.calls.push_back(node);
    }
  }

  // Makes the first call of every thread follow its last one.
  void CloseThreads() {
    for (const std::vector<uint32_t>& calls : thread_calls_) {
      if (calls.empty()) continue;
      StepGraph& graph = graphs_[GroupOfCalls(calls)];
      graph.calls[calls.front()].before = calls.back();
    }
  }

  size_t GroupOfCalls(const std::vector<uint32_t>& calls) const {
    return groups_.GroupOf(MakeId<ThreadId>(static_cast<size_t>(&calls - thread_calls_.data())));
  }

  // The call of a group that ended last.
  uint32_t LastCall(size_t group) const {
    uint32_t last = kNoNode;
    TimeNs latest = 0;
    for (size_t t = 0; t < thread_calls_.size(); ++t) {
      if (thread_calls_[t].empty() || groups_.GroupOf(MakeId<ThreadId>(t)) != group) continue;
      if (last != kNoNode && busy_until_[t] <= latest) continue;
      last = thread_calls_[t].back();
      latest = busy_until_[t];
    }
    return last;
  }

  template <typename Visit>
  void ForEachTask(const Visit& visit) {
    for (StepGraph& graph : graphs_) {
      std::vector<uint32_t> last(RowCount(trace_.tables.streams), kNoNode);
      for (uint32_t t = 0; t < graph.tasks.size(); ++t) {
        uint32_t& before = last[Index(gpu_.stream[Index(graph.tasks[t].gpu)])];
        visit(graph, t, before);
        before = t;
      }
    }
  }

  // Measures typical delays: from a launch to the start of its work on an idle stream, and between
  // queued tasks.
  void MeasureTypicalDelays() {
    std::vector<std::vector<DurationNs>> delays(graphs_.size());
    std::vector<std::vector<DurationNs>> gaps(graphs_.size());
    ForEachTask([&](StepGraph& graph, uint32_t t, uint32_t before) {
      const TimeNs start = Start(graph.tasks[t]);
      const ApiId call = facts_.gpu.api[Index(graph.tasks[t].gpu)];
      const TimeNs free = before == kNoNode ? 0 : GpuEnd(graph.tasks[before].gpu);
      if (before != kNoNode && start >= free && start - free <= kQueued) {
        gaps[graph.group].push_back(start - free);
      } else if (IsSet(call) && free < api_.start[Index(call)]) {
        const DurationNs delay = start - api_.start[Index(call)];
        if (delay >= 0 && delay < kLongLatency) delays[graph.group].push_back(delay);
      }
    });
    for (size_t s = 0; s < graphs_.size(); ++s) {
      graphs_[s].launch_delay = MedianOr(delays[s], kDefaultLaunchDelay);
      graphs_[s].gap = MedianOr(gaps[s], kDefaultGap);
    }
  }

  void ConnectTasks() {
    ForEachTask([&](StepGraph& graph, uint32_t t, uint32_t before) {
      TaskNode& task = graph.tasks[t];
      task.before = before;
      const ApiId call = facts_.gpu.api[Index(task.gpu)];
      // A thread of another group can have launched it only outside the iterations.
      if (IsSet(call) && groups_.GroupOf(api_.thread[Index(call)]) == graph.group) {
        task.launch = call_of_api_[Index(call)];
      }
      if (task.launch == kNoNode) {
        ConnectUnlaunched(graph, t);
      } else {
        ConnectLaunched(graph, t, Index(call));
      }
    });
    CloseStreams();
  }

  // Without a known launch, the distance to the previous work stays constant.
  void ConnectUnlaunched(StepGraph& graph, uint32_t t) {
    TaskNode& task = graph.tasks[t];
    if (task.before != kNoNode) task.gap = Start(task) - GpuEnd(graph.tasks[task.before].gpu);
    if (t == 0 || t - 1 == task.before) return;
    const GpuId earlier = graph.tasks[t - 1].gpu;  // on another stream
    if (GpuEnd(earlier) > Start(task)) return;
    task.other = t - 1;
    task.other_delay = Start(task) - GpuEnd(earlier);
  }

  void ConnectLaunched(StepGraph& graph, uint32_t t, size_t call) {
    TaskNode& task = graph.tasks[t];
    const TimeNs start = Start(task);
    const DurationNs since_launch = std::max<DurationNs>(0, start - api_.start[call]);
    task.launch_delay = std::min(graph.launch_delay, since_launch);
    const TimeNs window = gpu_start_[graph.group];
    if (task.before == kNoNode && graph.backlog > 0 && api_.start[call] < window) {
      return;  // it waited for work of earlier iterations
    }
    if (task.before != kNoNode) {
      const TaskNode& before = graph.tasks[task.before];
      const DurationNs since_before = start - GpuEnd(before.gpu);
      // The kernels of one CUDA graph have a common launch.
      const bool queued = before.launch == task.launch || since_before <= kQueued ||
                          GpuEnd(before.gpu) > api_.start[call] + graph.launch_delay;
      task.gap = std::min(since_before, graph.gap);
      if (queued) {
        const bool held_back = since_before > kLongLatency && before.launch != task.launch;
        if (!held_back || !WaitsForOtherStream(graph, task)) task.gap = since_before;
        return;
      }
    }
    // The task was delayed by its launch, or by another stream.
    if (since_launch > kLongLatency && WaitsForOtherStream(graph, task)) return;
    task.after_call = start >= ApiEnd(call);
    task.launch_delay = task.after_call ? start - ApiEnd(call) : since_launch;
  }

  // Work that starts long after it was launched and after its stream was free waited for something:
  // as far as the trace shows, for the work that ended last before its start.
  bool WaitsForOtherStream(StepGraph& graph, TaskNode& task) {
    const auto* last = ended_[graph.group].LastBefore(Start(task));
    if (last == nullptr || Start(task) - last->end > kLongLatency) return false;
    task.other = last->task;
    task.other_delay = Start(task) - last->end;
    return true;
  }

  // Makes the first task of a stream follow its last one in the previous round.
  void CloseStreams() {
    for (StepGraph& graph : graphs_) {
      std::vector<uint32_t> last(RowCount(trace_.tables.streams), kNoNode);
      for (uint32_t t = 0; t < graph.tasks.size(); ++t) {
        last[Index(gpu_.stream[Index(graph.tasks[t].gpu)])] = t;
      }
      for (TaskNode& task : graph.tasks) {
        if (task.before != kNoNode) continue;
        task.before = last[Index(gpu_.stream[Index(task.gpu)])];
        // The distance in the recording may be less than the typical gap.
        task.gap = Start(task) - gpu_start_[graph.group];
        if (task.launch != kNoNode) task.gap = std::min(task.gap, graph.gap);
      }
    }
  }

  // Orders nodes by measured time: a call by when it was made, a waiting call by when it ended, and
  // a task by when it started, but not before its launch. Dependencies on later nodes are removed.
  void SetOrder(StepGraph& graph) {
    const size_t calls = graph.calls.size();
    std::vector<TimeNs> when(calls + graph.tasks.size());
    for (size_t i = 0; i < calls; ++i) {
      const CallNode& node = graph.calls[i];
      const bool waits = node.wait_for != kNoNode && IsSet(node.api);
      when[i] = waits ? ApiEnd(Index(node.api)) : std::max(node.measured.end, node.resumed);
    }
    for (size_t t = 0; t < graph.tasks.size(); ++t) {
      const TaskNode& task = graph.tasks[t];
      TimeNs& time = when[calls + t];
      time = Start(task);
      if (task.launch != kNoNode) time = std::max(time, when[task.launch]);
      if (task.before < t) time = std::max(time, when[calls + task.before]);
    }
    // Of nodes with equal times, a wait must come before the next call of its thread: it gets a
    // length, since longer ones are first.
    std::vector<DurationNs> length(when.size(), 0);
    for (size_t i = 0; i < calls; ++i) length[i] = graph.calls[i].resumed > 0 ? 1 : 0;
    graph.order = TimelineOrder(when, length);
    std::vector<uint32_t> place(when.size());
    for (uint32_t i = 0; i < graph.order.size(); ++i) place[graph.order[i]] = i;
    const auto later = [&](size_t node, uint32_t dependency) {
      return dependency != kNoNode && place[dependency] > place[node];
    };
    for (uint32_t i = 0; i < calls; ++i) {
      CallNode& node = graph.calls[i];
      if (later(i, node.handover)) node.handover = kNoNode;
      if (node.wait_for != kNoNode && later(i, static_cast<uint32_t>(calls) + node.wait_for)) {
        node.wait_for = kNoNode;
      }
    }
    for (uint32_t t = 0; t < graph.tasks.size(); ++t) {
      TaskNode& task = graph.tasks[t];
      if (task.other != kNoNode && later(calls + t, static_cast<uint32_t>(calls) + task.other)) {
        task.other = kNoNode;
      }
    }
    for (uint32_t& node : graph.order) {
      if (node >= calls) node = (node - static_cast<uint32_t>(calls)) | StepGraph::kTaskBit;
    }
  }

  ProfileView profile_;
  const Trace& trace_;
  const FactTables& facts_;
  const RangeSummary& range_;
  const ApiCallsTable& api_;
  const GpuActivitiesTable& gpu_;
  const std::vector<bool> launching_;
  const GpuGroups groups_;
  std::vector<StepGraph> graphs_;    // by group
  std::vector<Interval> cpu_range_;  // by group
  std::vector<TimeNs> gpu_start_;    // by group: start of the range's window on its GPUs
  std::vector<EndedWork> ended_;     // by group
  std::vector<std::vector<uint32_t>> thread_calls_;  // by thread
  std::vector<TimeNs> busy_until_;                   // by thread: end of its last call
  std::vector<uint32_t> call_of_api_;
  std::vector<GpuId> first_gpu_of_api_;
};

}  // namespace

DurationNs BusyTime(const StepGraph& graph) {
  std::vector<DurationNs> by_device;
  for (const TaskNode& task : graph.tasks) {
    if (task.removed) continue;
    if (by_device.size() <= Index(task.device)) by_device.resize(Index(task.device) + 1);
    by_device[Index(task.device)] += task.exclusive;
  }
  return by_device.empty() ? 0 : *std::max_element(by_device.begin(), by_device.end());
}

std::vector<StepGraph> BuildStepGraphs(ProfileView profile, const RangeSummary& range) {
  return GraphBuilder(profile, range).Run();
}

}  // namespace warpsight
