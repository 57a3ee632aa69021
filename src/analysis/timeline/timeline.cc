#include "analysis/timeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <utility>

#include "analysis/accounting/gpu_work.h"
#include "analysis/accounting/host_work.h"
#include "analysis/timeline/lane_titles.h"
#include "base/json_text.h"
#include "model/hash_map.h"
#include "tbb/parallel_for.h"

namespace warpsight {
namespace {

constexpr TimeNs kMaxEnd = TimeNs{1} << 53;

// Times clipped to the trace, since files written by other programs may contain any number.
Interval CutTimes(TimeNs start, DurationNs duration, TimeNs trace_end) {
  start = std::clamp<TimeNs>(start, 0, trace_end);
  return {start, start + std::clamp<DurationNs>(duration, 0, trace_end - start)};
}

// Groups the rows of a table by a column of ids, or by the result of `group_of` for them.
template <typename Id, typename GroupOf>
std::vector<std::vector<uint32_t>> GroupRows(const Column<Id>& column, size_t groups,
                                             GroupOf group_of) {
  std::vector<size_t> counts(groups);
  for (const Id id : column) ++counts[Index(group_of(id))];
  std::vector<std::vector<uint32_t>> rows(groups);
  for (size_t g = 0; g < groups; ++g) rows[g].reserve(counts[g]);
  for (uint32_t i = 0; i < column.size(); ++i) rows[Index(group_of(column[i]))].push_back(i);
  return rows;
}
template <typename Id>
std::vector<std::vector<uint32_t>> GroupRows(const Column<Id>& column, size_t groups) {
  return GroupRows(column, groups, [](Id id) { return id; });
}

}  // namespace

// Decides which lanes exist, then fills them in parallel.
class TimelineBuilder {
 public:
  explicit TimelineBuilder(ProfileView profile)
      : profile_(profile), tables_(profile.trace.tables), categories_(profile) {}

  std::unique_ptr<const Timeline> Run() {
    timeline_->end_ = std::clamp<TimeNs>(profile_.trace.end, 0, kMaxEnd);
    timeline_->span_log_ = std::max<int>(Timeline::kBucketsLog,
                                         std::bit_width(static_cast<uint64_t>(timeline_->end_)));
    timeline_->lane_of_thread_.assign(RowCount(tables_.threads), kNoLane);
    timeline_->lane_of_stream_.assign(RowCount(tables_.streams), kNoLane);
    timeline_->gap_lane_of_device_.assign(RowCount(tables_.devices), kNoLane);
    GroupTables();
    AddIterations();
    for (size_t d = 0; d < RowCount(tables_.devices); ++d) AddGpu(MakeId<DeviceId>(d));
    AddProcesses();
    Fill();
    return std::move(timeline_);
  }

 private:
  // Work that can run in parallel; `size` is its approximate amount.
  struct Task {
    size_t size;
    std::function<void()> run;
  };

  void AddTask(size_t size, uint32_t lane, void (TimelineBuilder::*fill)(Lane&) const) {
    tasks_.push_back({size, [this, lane, fill] { (this->*fill)(timeline_->lanes_[lane]); }});
  }

  void GroupTables() {
    host_ = GroupRows(tables_.host.thread, RowCount(tables_.threads));
    api_ = GroupRows(tables_.api.thread, RowCount(tables_.threads));
    gpu_ = GroupRows(tables_.gpu.stream, RowCount(tables_.streams));
    annotations_ = GroupRows(tables_.gpu_annotations.stream, RowCount(tables_.streams));
    gaps_ = GroupRows(profile_.facts.gaps.device.values(), RowCount(tables_.devices));
    work_ = GroupRows(tables_.gpu.stream, RowCount(tables_.devices),
                      [&](StreamId stream) { return profile_.trace.DeviceOf(stream); });
    streams_ = GroupRows(tables_.streams.device, RowCount(tables_.devices));
  }

  uint32_t AddLane(LaneKind kind, uint32_t group, std::string title, size_t of) {
    Lane& lane = timeline_->lanes_.emplace_back();
    lane.kind = kind;
    lane.group = group;
    lane.title = std::move(title);
    lane.of = static_cast<uint32_t>(of);
    return static_cast<uint32_t>(timeline_->lanes_.size() - 1);
  }

  uint32_t AddGroup(bool is_gpu, std::string title, std::string detail) {
    timeline_->groups_.push_back({is_gpu, std::move(title), std::move(detail)});
    return static_cast<uint32_t>(timeline_->groups_.size() - 1);
  }

  void AddIterations() {
    const std::vector<bool> timeline = SourcesWithTimeline(profile_.trace);
    for (size_t s = 0; s < timeline.size(); ++s) {
      if (!timeline[s] && timeline.size() > 1) continue;
      const std::string label = SourceLabel(profile_.trace, MakeId<SourceId>(s));
      AddLane(LaneKind::kIterations, kNoGroup,
              label.empty() ? "Iterations" : "Iterations, " + label, s);
    }
  }

  void AddGpu(DeviceId device) {
    const std::vector<uint32_t>& streams = streams_[Index(device)];
    const std::vector<uint32_t> working = StreamsWithLanes(streams);
    if (working.empty()) return;
    const uint32_t group =
        AddGroup(true, GpuTitle(profile_.trace, device),
                 std::string(profile_.trace.Text(tables_.devices.name[Index(device)])));
    const std::vector<uint32_t>& work = work_[Index(device)];
    if (!work.empty()) {
      const uint32_t lane = AddLane(LaneKind::kUtilization, group, "Utilization", Index(device));
      AddTask(work.size(), lane, &TimelineBuilder::FillUtilization);
    }
    if (std::any_of(work.begin(), work.end(),
                    [&](uint32_t g) { return IsSet(profile_.facts.gpu.api[g]); })) {
      const uint32_t lane = AddLane(LaneKind::kQueue, group, "Queue depth", Index(device));
      AddTask(work.size(), lane, &TimelineBuilder::FillQueue);
    }
    if (!gaps_[Index(device)].empty()) {
      const uint32_t lane = AddLane(LaneKind::kGaps, group, "Idle causes", Index(device));
      timeline_->gap_lane_of_device_[Index(device)] = lane;
      AddTask(gaps_[Index(device)].size(), lane, &TimelineBuilder::FillGaps);
    }
    const bool several_contexts = std::any_of(working.begin(), working.end(), [&](uint32_t s) {
      return tables_.streams.context[s] != tables_.streams.context[working.front()];
    });
    for (const uint32_t s : working) {
      const uint32_t lane =
          AddLane(LaneKind::kStream, group,
                  StreamTitle(profile_.trace, MakeId<StreamId>(s), several_contexts), s);
      timeline_->lane_of_stream_[s] = lane;
      AddTask(gpu_[s].size(), lane, &TimelineBuilder::FillStream);
    }
    for (const auto& [stream, bearer] : shared_lanes_) {
      timeline_->lane_of_stream_[stream] = timeline_->lane_of_stream_[bearer];
    }
    shared_lanes_.clear();
  }

  // The streams of a GPU that have a lane, ordered by descending amount of work. Annotations are
  // recorded without a context, so their stream is a separate row: they are shown above the work of
  // the stream with their number, and in a separate lane only if there is no such stream.
  std::vector<uint32_t> StreamsWithLanes(const std::vector<uint32_t>& streams) {
    std::vector<std::pair<DurationNs, uint32_t>> by_work;
    for (const uint32_t s : streams) {
      if (gpu_[s].empty()) continue;
      DurationNs busy = 0;
      for (const uint32_t g : gpu_[s]) {
        const Interval times = Times(tables_.gpu, g);
        busy += times.end - times.start;
      }
      by_work.emplace_back(busy, s);
    }
    std::stable_sort(by_work.begin(), by_work.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<uint32_t> result;
    HashMap<int64_t, uint32_t> by_number;
    const auto add = [&](uint32_t s) {
      result.push_back(s);
      by_number.try_emplace(tables_.streams.stream[s], s);
    };
    for (const auto& [busy, s] : by_work) add(s);
    for (const uint32_t s : streams) {
      if (!gpu_[s].empty() || annotations_[s].empty()) continue;
      const auto bearer = by_number.find(tables_.streams.stream[s]);
      if (bearer == by_number.end() || tables_.streams.context[s] != kMissing) {
        add(s);
        continue;
      }
      std::vector<uint32_t>& above = annotations_[bearer->second];
      above.insert(above.end(), annotations_[s].begin(), annotations_[s].end());
      shared_lanes_.emplace_back(s, bearer->second);
    }
    return result;
  }

  // Processes and threads that launch work come first, ordered by descending number of events.
  void AddProcesses() {
    struct Rank {
      bool launches = false;
      size_t events = 0;
      bool operator>(const Rank& other) const {
        return std::pair(launches, events) > std::pair(other.launches, other.events);
      }
    };
    const std::vector<bool> launching = LaunchingThreads(profile_.trace, profile_.facts);
    std::vector<Rank> threads(RowCount(tables_.threads));
    std::vector<Rank> processes(RowCount(tables_.processes));
    std::vector<std::vector<uint32_t>> of_process(processes.size());
    for (uint32_t t = 0; t < threads.size(); ++t) {
      threads[t] = {launching[t], host_[t].size() + api_[t].size()};
      if (threads[t].events == 0) continue;  // a lane of the file that represents a stream
      const size_t process = Index(tables_.threads.process[t]);
      of_process[process].push_back(t);
      processes[process].launches = processes[process].launches || threads[t].launches;
      processes[process].events += threads[t].events;
    }
    std::vector<uint32_t> order(processes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return processes[a] > processes[b]; });
    for (const uint32_t p : order) {
      std::vector<uint32_t>& its_threads = of_process[p];
      if (its_threads.empty()) continue;
      std::stable_sort(its_threads.begin(), its_threads.end(),
                       [&](uint32_t a, uint32_t b) { return threads[a] > threads[b]; });
      const uint32_t group =
          AddGroup(false, ProcessTitle(profile_.trace, MakeId<ProcessId>(p)), "");
      for (const uint32_t t : its_threads) {
        const uint32_t lane =
            AddLane(LaneKind::kThread, group, ThreadTitle(profile_.trace, MakeId<ThreadId>(t)), t);
        timeline_->lane_of_thread_[t] = lane;
        AddTask(threads[t].events, lane, &TimelineBuilder::FillThread);
      }
    }
  }

  void Fill() {
    const size_t events = RowCount(tables_.host) + RowCount(tables_.api) + RowCount(tables_.gpu);
    tasks_.push_back(
        {events, [this] { timeline_->breakdown_ = std::make_unique<WindowBreakdown>(profile_); }});
    tasks_.push_back({events / 4, [this] { CollectNames(); }});
    std::stable_sort(tasks_.begin(), tasks_.end(),
                     [](const Task& a, const Task& b) { return a.size > b.size; });
    tbb::parallel_for(
        tbb::blocked_range<size_t>(0, tasks_.size(), 1),
        [&](const tbb::blocked_range<size_t>& range) {
          for (size_t i = range.begin(); i < range.end(); ++i) tasks_[i].run();
        },
        tbb::simple_partitioner());
  }

  void CollectNames() {
    std::vector<bool> seen(profile_.trace.strings.size());
    const auto collect = [&](const Column<StringId>& column, std::vector<StringId>& names) {
      for (const StringId name : column) {
        if (seen[Index(name)]) continue;
        seen[Index(name)] = true;
        names.push_back(name);
      }
    };
    collect(tables_.host.name, timeline_->names_);
    collect(tables_.api.name, timeline_->names_);
    collect(tables_.gpu_annotations.name, timeline_->names_);
    seen.assign(seen.size(), false);
    collect(tables_.gpu.name, timeline_->gpu_names_);
  }

  Interval Times(const auto& table, size_t row) const {
    return CutTimes(table.start[row], table.duration[row], timeline_->end_);
  }

  // The host ranges and API calls of a thread, merged. If two begin at the same time, the longer
  // one comes first; if they are equally long, the range does.
  void FillThread(Lane& lane) const {
    const std::vector<uint32_t>& host = host_[lane.of];
    const std::vector<uint32_t>& api = api_[lane.of];
    SliceLane::Band band{{}, SliceLane::Layout::kNested};
    band.slices.Reserve(host.size() + api.size());
    size_t a = 0;
    const auto add_api = [&](Interval times) {
      band.slices.Add(times.start, times.end, {EventTable::kApi, api[a]},
                      categories_.OfApi(api[a]));
      ++a;
    };
    for (const uint32_t h : host) {
      const Interval times = Times(tables_.host, h);
      while (a < api.size()) {
        const Interval call = Times(tables_.api, api[a]);
        if (call.start > times.start || (call.start == times.start && call.end <= times.end)) break;
        add_api(call);
      }
      band.slices.Add(times.start, times.end, {EventTable::kHost, h}, categories_.OfHost(h));
    }
    while (a < api.size()) add_api(Times(tables_.api, api[a]));
    lane.slices = MakeLane(std::move(band));
  }

  void FillStream(Lane& lane) const {
    std::vector<SliceLane::Band> bands(2);
    for (const uint32_t a : annotations_[lane.of]) {
      const Interval times = Times(tables_.gpu_annotations, a);
      bands[0].slices.Add(times.start, times.end, {EventTable::kAnnotation, a},
                          Category::kAnnotation);
    }
    bands[1].layout = SliceLane::Layout::kFirstFree;
    bands[1].slices.Reserve(gpu_[lane.of].size());
    for (const uint32_t g : gpu_[lane.of]) {
      const Interval times = Times(tables_.gpu, g);
      bands[1].slices.Add(times.start, times.end, {EventTable::kGpu, g}, categories_.OfGpu(g));
    }
    lane.slices = SliceLane(std::move(bands));
  }

  void FillGaps(Lane& lane) const {
    const GapsTable& gaps = profile_.facts.gaps;
    SliceLane::Band band{{}, SliceLane::Layout::kFirstFree};
    band.slices.Reserve(gaps_[lane.of].size());
    for (const uint32_t g : gaps_[lane.of]) {
      const TimeNs start = std::clamp<TimeNs>(gaps.start[g], 0, timeline_->end_);
      const TimeNs end = std::clamp<TimeNs>(gaps.end[g], start, timeline_->end_);
      band.slices.Add(start, end, {EventTable::kGap, g}, CategoryOf(gaps.cause[g]));
    }
    lane.slices = MakeLane(std::move(band));
  }

  static SliceLane MakeLane(SliceLane::Band band) {
    std::vector<SliceLane::Band> bands;
    bands.push_back(std::move(band));
    return SliceLane(std::move(bands));
  }

  void FillUtilization(Lane& lane) const {
    TimeNs busy_until = -1;
    for (const uint32_t g : work_[lane.of]) {
      const Interval times = Times(tables_.gpu, g);
      if (times.end <= std::max(times.start, busy_until)) continue;
      if (times.start > busy_until) {
        if (busy_until >= 0) lane.values.Append(busy_until, 0);
        lane.values.Append(times.start, 1);
      }
      busy_until = times.end;
    }
    if (busy_until >= 0) lane.values.Append(busy_until, 0);
    lane.values.Finish();
  }

  // Work is in the queue from the end of the call that launched it to its start, like the launch
  // delay in docs/metrics.md. Work that starts before its call returns was never queued.
  void FillQueue(Lane& lane) const {
    std::vector<TimeNs> launches, starts;
    for (const uint32_t g : work_[lane.of]) {
      const ApiId call = profile_.facts.gpu.api[g];
      if (!IsSet(call)) continue;
      const TimeNs launch = Times(tables_.api, Index(call)).end;
      const TimeNs start = Times(tables_.gpu, g).start;
      if (launch >= start) continue;
      launches.push_back(launch);
      starts.push_back(start);
    }
    for (std::vector<TimeNs>* times : {&launches, &starts}) {
      if (!std::is_sorted(times->begin(), times->end())) std::sort(times->begin(), times->end());
    }
    size_t launched = 0;
    for (size_t started = 0; started < starts.size(); ++started) {
      for (; launched < launches.size() && launches[launched] <= starts[started]; ++launched) {
        lane.values.Append(launches[launched], static_cast<uint32_t>(launched + 1 - started));
      }
      lane.values.Append(starts[started], static_cast<uint32_t>(launched - started - 1));
    }
    lane.values.Finish();
  }

  ProfileView profile_;
  const TraceTables& tables_;
  EventCategories categories_;
  // Rows of tables: host ranges and API calls by thread; GPU work and annotations by stream; GPU
  // work, gaps and streams by device.
  std::vector<std::vector<uint32_t>> host_, api_, gpu_, annotations_, work_, gaps_, streams_;
  // Pairs of streams of one GPU: the annotations of one are in the lane of the other.
  std::vector<std::pair<uint32_t, uint32_t>> shared_lanes_;
  std::vector<Task> tasks_;
  std::unique_ptr<Timeline> timeline_{new Timeline()};
};

std::unique_ptr<const Timeline> Timeline::Build(ProfileView profile) {
  return TimelineBuilder(profile).Run();
}

uint32_t Timeline::LaneOf(ProfileView profile, EventRef event) const {
  const TraceTables& tables = profile.trace.tables;
  const FactTables& facts = profile.facts;
  switch (event.table) {
    case EventTable::kHost:
      return lane_of_thread_[Index(tables.host.thread[event.row])];
    case EventTable::kApi:
      return lane_of_thread_[Index(tables.api.thread[event.row])];
    case EventTable::kGpu:
      return lane_of_stream_[Index(tables.gpu.stream[event.row])];
    case EventTable::kGap:
      return gap_lane_of_device_[Index(facts.gaps.device[event.row])];
    case EventTable::kIteration:
      return static_cast<uint32_t>(Index(facts.iterations.source[event.row]));
    case EventTable::kStretch:
      return static_cast<uint32_t>(Index(tables.clean_stretches.source[event.row]));
    case EventTable::kAnnotation:
      break;
  }
  return lane_of_stream_[Index(tables.gpu_annotations.stream[event.row])];
}

size_t Timeline::MemoryBytes() const {
  size_t bytes =
      breakdown_->MemoryBytes() + (names_.capacity() + gpu_names_.capacity()) * sizeof(StringId);
  for (const Lane& lane : lanes_) {
    bytes += sizeof(Lane) + lane.slices.MemoryBytes() + lane.values.MemoryBytes();
  }
  return bytes;
}

bool Exists(ProfileView profile, EventRef event) {
  const TraceTables& tables = profile.trace.tables;
  switch (event.table) {
    case EventTable::kHost:
      return event.row < RowCount(tables.host);
    case EventTable::kApi:
      return event.row < RowCount(tables.api);
    case EventTable::kGpu:
      return event.row < RowCount(tables.gpu);
    case EventTable::kGap:
      return event.row < RowCount(profile.facts.gaps);
    case EventTable::kIteration:
      return event.row < RowCount(profile.facts.iterations);
    case EventTable::kStretch:
      return event.row < RowCount(tables.clean_stretches);
    case EventTable::kAnnotation:
      break;
  }
  return event.row < RowCount(tables.gpu_annotations);
}

Interval TimesOf(const Timeline& timeline, ProfileView profile, EventRef event) {
  const TraceTables& tables = profile.trace.tables;
  const auto by_duration = [&](const auto& table) {
    return CutTimes(table.start[event.row], table.duration[event.row], timeline.end());
  };
  const auto by_end = [&](const auto& table) {
    const TimeNs start = std::clamp<TimeNs>(table.start[event.row], 0, timeline.end());
    return Interval{start, std::clamp<TimeNs>(table.end[event.row], start, timeline.end())};
  };
  switch (event.table) {
    case EventTable::kHost:
      return by_duration(tables.host);
    case EventTable::kApi:
      return by_duration(tables.api);
    case EventTable::kGpu:
      return by_duration(tables.gpu);
    case EventTable::kGap:
      return by_end(profile.facts.gaps);
    case EventTable::kIteration:
      return by_end(profile.facts.iterations);
    case EventTable::kStretch:
      return by_duration(tables.clean_stretches);
    case EventTable::kAnnotation:
      break;
  }
  return by_duration(tables.gpu_annotations);
}

EventPlace PlaceOf(const Timeline& timeline, ProfileView profile, const RangeSummary& range,
                   EventRef event) {
  const uint32_t lane = timeline.LaneOf(profile, event);
  if (lane == kNoLane) return {};
  const TimeNs start = TimesOf(timeline, profile, event).start;
  const SliceLane::Place place =
      event.table == EventTable::kIteration || event.table == EventTable::kStretch
          ? IterationLanes(timeline, profile, range)[lane].Find(event, start)
          : timeline.lanes()[lane].slices.Find(event, start);
  return {lane, static_cast<uint32_t>(place.row), place.category};
}

std::vector<SliceLane> IterationLanes(const Timeline& timeline, ProfileView profile,
                                      const RangeSummary& range) {
  const IterationsTable& table = profile.facts.iterations;
  const CleanStretchesTable& stretches = profile.trace.tables.clean_stretches;
  std::vector<std::vector<SliceLane::Band>> bands(RowCount(profile.trace.tables.sources));
  for (auto& of_source : bands) of_source.push_back({{}, SliceLane::Layout::kFirstFree});
  std::vector<std::vector<EventRef>> events(bands.size());  // by source
  for (uint32_t i = 0; i < table.start.size(); ++i) {
    events[Index(table.source[i])].push_back({EventTable::kIteration, i});
  }
  for (uint32_t i = 0; i < stretches.start.size(); ++i) {
    events[Index(stretches.source[i])].push_back({EventTable::kStretch, i});
  }
  for (size_t s = 0; s < events.size(); ++s) {
    const auto start = [&](EventRef event) { return TimesOf(timeline, profile, event).start; };
    if (!stretches.start.empty()) {
      std::stable_sort(events[s].begin(), events[s].end(),
                       [&](EventRef a, EventRef b) { return start(a) < start(b); });
    }
    for (const EventRef event : events[s]) {
      const Interval times = TimesOf(timeline, profile, event);
      const bool inside = event.table == EventTable::kIteration &&
                          range.Contains(profile, MakeId<IterationId>(event.row));
      bands[s].front().slices.Add(times.start, times.end, event,
                                  inside ? Category::kIteration : Category::kOutside);
    }
  }
  std::vector<SliceLane> lanes;
  lanes.reserve(bands.size());
  for (auto& of_source : bands) lanes.emplace_back(std::move(of_source));
  return lanes;
}

std::string EventName(ProfileView profile, EventRef event) {
  const TraceTables& tables = profile.trace.tables;
  const FactTables& facts = profile.facts;
  switch (event.table) {
    case EventTable::kHost:
      return std::string(profile.trace.Text(tables.host.name[event.row]));
    case EventTable::kApi:
      return std::string(profile.trace.Text(tables.api.name[event.row]));
    case EventTable::kGpu: {
      StringId name = tables.gpu.name[event.row];
      if (tables.gpu.kind[event.row] == GpuKind::kKernel) {
        name = facts.kernel_names.short_name[facts.KernelRow(name)];
      }
      return std::string(profile.trace.Text(name));
    }
    case EventTable::kGap:
      return std::string(ToString(facts.gaps.cause[event.row]));
    case EventTable::kIteration:
      return fmt::format("Iteration {}", facts.iterations.number[event.row]);
    case EventTable::kStretch:
      return "Clean stretch, not recorded";
    case EventTable::kAnnotation:
      break;
  }
  return std::string(profile.trace.Text(tables.gpu_annotations.name[event.row]));
}

}  // namespace warpsight
