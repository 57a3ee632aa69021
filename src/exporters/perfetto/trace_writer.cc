#include "exporters/perfetto/trace_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "exporters/api/json_fields.h"
#include "exporters/perfetto/lane_writer.h"
#include "exporters/perfetto/row_groups.h"
#include "exporters/perfetto/slice_maker.h"

namespace warpsight::exporters::perfetto {
namespace {

// Ids for lanes with names instead of numbers, and for processes of further sources, whose ids may
// repeat. They are above all process ids of Linux.
constexpr int64_t kFirstMadeUp = int64_t{1} << 23;

int64_t NumberOf(std::string_view text, int64_t otherwise) {
  int64_t number = -1;
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  const bool fits = error == std::errc() && parsed == end && number >= 0 && number < kFirstMadeUp;
  return fits ? number : otherwise;
}

class TraceWriter {
 public:
  TraceWriter(const Profile& profile, PacketWriter& packets, const OutputFile& file,
              Progress& progress)
      : trace_(profile.trace),
        slices_(profile),
        packets_(packets),
        file_(file),
        progress_(progress) {}

  void Write() {
    WriteThreads();
    WriteStreams();
    WriteMemory();
    WriteCounters();
    packets_.Flush();
  }

 private:
  bool stopped() const { return progress_.cancelled() || !file_.ok(); }

  uint64_t NewTrack(TrackInfo track) {
    track.uuid = ++tracks_;
    packets_.Track(track);
    return track.uuid;
  }

  uint64_t Child(uint64_t parent, const std::string& name) {
    TrackInfo track;
    track.parent = parent;
    track.name = name;
    return NewTrack(track);
  }

  std::string RankSuffix(SourceId source) const {
    if (CountSourcesWithTimeline(trace_) < 2) return {};
    const int64_t rank = trace_.tables.sources.rank[Index(source)];
    return fmt::format(" (rank {})", rank == kMissing ? static_cast<int64_t>(Index(source)) : rank);
  }

  int64_t PidOf(ProcessId process) const {
    const auto row = static_cast<int64_t>(Index(process));
    const ProcessesTable& t = trace_.tables.processes;
    const bool first = Index(t.source[Index(process)]) == 0;
    return first ? NumberOf(trace_.Text(t.pid[Index(process)]), kFirstMadeUp + row)
                 : kFirstMadeUp + row;
  }

  uint64_t ProcessTrack(ProcessId process) {
    const auto [it, added] = process_tracks_.try_emplace(process, 0);
    if (!added) return it->second;
    const ProcessesTable& t = trace_.tables.processes;
    const size_t row = Index(process);
    TrackInfo track;
    track.type = TrackInfo::Type::kProcess;
    track.pid = PidOf(process);
    track.name = trace_.Text(t.name[row] == StringId::kEmpty ? t.pid[row] : t.name[row]);
    track.name += RankSuffix(t.source[row]);
    track.labels = trace_.Text(t.labels[row]);
    return it->second = NewTrack(track);
  }

  uint64_t ThreadTrack(ThreadId thread) {
    const ThreadsTable& t = trace_.tables.threads;
    const size_t row = Index(thread);
    TrackInfo track;
    track.type = TrackInfo::Type::kThread;
    track.parent = ProcessTrack(t.process[row]);
    track.pid = PidOf(t.process[row]);
    track.tid = NumberOf(trace_.Text(t.tid[row]), kFirstMadeUp + static_cast<int64_t>(row));
    track.name = trace_.Text(t.name[row] == StringId::kEmpty ? t.tid[row] : t.name[row]);
    return NewTrack(track);
  }

  void WriteThreads() {
    const TraceTables& t = trace_.tables;
    const size_t threads = RowCount(t.threads);
    const RowGroups host(t.host.thread, threads);
    const RowGroups api(t.api.thread, threads);
    const RowGroups points(t.instants.thread, threads);
    for (size_t i = 0; i < threads && !stopped(); ++i) {
      const auto thread = MakeId<ThreadId>(i);
      const auto ranges = host.Of(thread);
      const auto calls = api.Of(thread);
      const auto instants = points.Of(thread);
      if (ranges.empty() && calls.empty() && !HasMarks(instants)) continue;
      const uint64_t track = ThreadTrack(thread);
      WriteThread(track, ranges, calls);
      for (const uint32_t row : instants) {
        if (!IsCounter(row)) packets_.Instant(t.instants.time[row], track, t.instants.name[row]);
      }
    }
  }

  bool IsCounter(uint32_t row) const {
    return trace_.Text(trace_.tables.instants.category[row]) == "counter";
  }
  bool HasMarks(std::span<const uint32_t> instants) const {
    for (const uint32_t row : instants) {
      if (!IsCounter(row)) return true;
    }
    return false;
  }

  // Writes ranges and calls of a thread, merged in timeline order.
  void WriteThread(uint64_t track, std::span<const uint32_t> ranges,
                   std::span<const uint32_t> calls) {
    const HostRangesTable& host = trace_.tables.host;
    const ApiCallsTable& api = trace_.tables.api;
    LaneWriter lane(packets_, track, [&] { return Child(track, "overlapping"); });
    size_t r = 0;
    size_t c = 0;
    while ((r < ranges.size() || c < calls.size()) && Continue()) {
      const bool range_next =
          c == calls.size() || (r < ranges.size() && !IsBefore(api, calls[c], host, ranges[r]));
      if (range_next) {
        const uint32_t row = ranges[r++];
        lane.Begin(slices_.Host(row), host.duration[row]);
      } else {
        const uint32_t row = calls[c++];
        lane.Begin(slices_.Api(row), api.duration[row]);
      }
    }
    lane.Finish();
  }

  template <typename A, typename B>
  static bool IsBefore(const A& a, uint32_t row_a, const B& b, uint32_t row_b) {
    if (a.start[row_a] != b.start[row_b]) return a.start[row_a] < b.start[row_b];
    return a.duration[row_a] > b.duration[row_b];
  }

  bool Continue() {
    if (++steps_ % 4096 != 0) return true;
    progress_.Add(4096);
    return !stopped();
  }

  uint64_t DeviceTrack(DeviceId device) {
    const auto [it, added] = device_tracks_.try_emplace(device, 0);
    if (!added) return it->second;
    const DevicesTable& t = trace_.tables.devices;
    const size_t row = Index(device);
    return it->second = Child(0, fmt::format("GPU {} {}{}", t.ordinal[row],
                                             trace_.Text(t.name[row]), RankSuffix(t.source[row])));
  }

  std::string StreamName(StreamId stream) const {
    const int64_t number = trace_.tables.streams.stream[Index(stream)];
    return number == kMissing ? "ranges" : fmt::format("stream {}", number);
  }

  // Writes the rows of one table on a stream as a track.
  template <typename Table, typename Make>
  void WriteStream(StreamId stream, const Table& table, std::span<const uint32_t> rows,
                   const std::string& suffix, Make make) {
    if (rows.empty()) return;
    const uint64_t device = DeviceTrack(trace_.DeviceOf(stream));
    const std::string name = StreamName(stream) + suffix;
    LaneWriter lane(packets_, Child(device, name), [&] { return Child(device, name); });
    for (const uint32_t row : rows) {
      if (!Continue()) break;
      lane.Begin(make(row), table.duration[row]);
    }
    lane.Finish();
  }

  void WriteStreams() {
    const TraceTables& t = trace_.tables;
    const size_t streams = RowCount(t.streams);
    const RowGroups work(t.gpu.stream, streams);
    const RowGroups ranges(t.gpu_annotations.stream, streams);
    const RowGroups syncs(t.syncs.stream, streams);
    for (size_t i = 0; i < streams && !stopped(); ++i) {
      const auto stream = MakeId<StreamId>(i);
      WriteStream(stream, t.gpu_annotations, ranges.Of(stream), " annotations",
                  [&](uint32_t row) -> SliceBegin& { return slices_.GpuAnnotation(row); });
      WriteStream(stream, t.gpu, work.Of(stream), "",
                  [&](uint32_t row) -> SliceBegin& { return slices_.Gpu(row); });
      WriteStream(stream, t.syncs, syncs.Of(stream), " synchronization",
                  [&](uint32_t row) -> SliceBegin& { return slices_.Sync(row); });
    }
  }

  uint64_t CounterTrack(uint64_t parent, const std::string& name, bool bytes) {
    const auto [it, added] = counter_tracks_.try_emplace({parent, name}, 0);
    if (!added) return it->second;
    TrackInfo track;
    track.type = TrackInfo::Type::kCounter;
    track.parent = parent;
    track.name = name;
    track.bytes = bytes;
    return it->second = NewTrack(track);
  }

  void WriteMemory() {
    const MemoryEventsTable& t = trace_.tables.memory;
    for (size_t i = 0; i < t.time.size() && Continue(); ++i) {
      const uint64_t process = ProcessTrack(trace_.tables.threads.process[Index(t.thread[i])]);
      const std::string where =
          t.device_type[i] == 0 ? "CPU" : fmt::format("GPU {}", std::max<int64_t>(0, t.device[i]));
      const auto add = [&](const char* what, int64_t value) {
        if (value == kMissing) return;
        packets_.Counter(t.time[i], CounterTrack(process, where + what, true), value);
      };
      add(" memory allocated", t.total_allocated[i]);
      add(" memory reserved", t.total_reserved[i]);
    }
  }

  // A counter sample is an object of numbers.
  void WriteCounters() {
    const InstantsTable& t = trace_.tables.instants;
    for (size_t i = 0; i < t.time.size() && Continue(); ++i) {
      if (!IsCounter(static_cast<uint32_t>(i))) continue;
      const uint64_t process = ProcessTrack(trace_.tables.threads.process[Index(t.thread[i])]);
      ForEachField(trace_.Text(t.args[i]), [&](std::string_view key, std::string_view text) {
        double value = 0;
        const char* end = text.data() + text.size();
        const auto [parsed, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc() && parsed == end) {
          const std::string name = fmt::format("{} {}", trace_.Text(t.name[i]), key);
          packets_.Counter(t.time[i], CounterTrack(process, name, false), value);
        }
        return true;
      });
    }
  }

  const Trace& trace_;
  SliceMaker slices_;
  PacketWriter& packets_;
  const OutputFile& file_;
  Progress& progress_;
  std::map<ProcessId, uint64_t> process_tracks_;
  std::map<DeviceId, uint64_t> device_tracks_;
  std::map<std::pair<uint64_t, std::string>, uint64_t> counter_tracks_;
  uint64_t tracks_ = 0;
  uint64_t steps_ = 0;
};

}  // namespace

void WriteTrace(const Profile& profile, PacketWriter& packets, const OutputFile& file,
                Progress& progress) {
  TraceWriter(profile, packets, file, progress).Write();
}

}  // namespace warpsight::exporters::perfetto
