#include "model/trace_builder.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/large_memory.h"
#include "base/order.h"
#include "base/statistics.h"
#include "model/check_columns.h"
#include "model/device_numbers.h"
#include "model/integrity.h"
#include "model/limits.h"
#include "model/split_processes.h"
#include "tbb/parallel_for.h"

namespace warpsight {

ProcessId TracePart::Process(std::string_view pid) {
  const StringId text = Intern(pid);
  auto [it, inserted] = processes_.try_emplace(text, MakeId<ProcessId>(processes_.size()));
  if (inserted) {
    tables.processes.source.push_back(source_);
    tables.processes.pid.push_back(text);
    tables.processes.name.push_back(StringId::kEmpty);
    tables.processes.labels.push_back(StringId::kEmpty);
  }
  return it->second;
}

ThreadId TracePart::Thread(std::string_view pid, std::string_view tid) {
  const std::pair key{Process(pid), Intern(tid)};
  auto [it, inserted] = threads_.try_emplace(key, MakeId<ThreadId>(threads_.size()));
  if (inserted) {
    tables.threads.process.push_back(key.first);
    tables.threads.tid.push_back(key.second);
    tables.threads.name.push_back(StringId::kEmpty);
  }
  return it->second;
}

DeviceId TracePart::Device(int64_t ordinal) {
  auto [it, inserted] = devices_.try_emplace(ordinal, MakeId<DeviceId>(devices_.size()));
  if (inserted) {
    DevicesTable& t = tables.devices;
    t.source.push_back(source_);
    t.ordinal.push_back(ordinal);
    t.name.push_back(StringId::kEmpty);
    for (auto* column : {&t.compute_major, &t.compute_minor, &t.sms, &t.memory_bytes,
                         &t.threads_per_sm, &t.regs_per_sm, &t.shared_per_sm, &t.warp_size}) {
      column->push_back(kMissing);
    }
  }
  return it->second;
}

StreamId TracePart::Stream(int64_t device, int64_t context, int64_t stream, ProcessId process,
                           int64_t recorded_device) {
  const std::tuple key{Device(device), context, stream, process};
  auto [it, inserted] = streams_.try_emplace(key, MakeId<StreamId>(streams_.size()));
  if (inserted) {
    tables.streams.device.push_back(std::get<0>(key));
    tables.streams.context.push_back(context);
    tables.streams.stream.push_back(stream);
    tables.streams.process.push_back(process);
    tables.streams.recorded_device.push_back(recorded_device);
  }
  return it->second;
}

SignatureId TracePart::Signature(StringId dims, StringId types, StringId strides, StringId values) {
  auto [it, inserted] = signatures_.try_emplace({dims, types, strides, values},
                                                MakeId<SignatureId>(signatures_.size()));
  if (inserted) {
    tables.signatures.dims.push_back(dims);
    tables.signatures.types.push_back(types);
    tables.signatures.strides.push_back(strides);
    tables.signatures.values.push_back(values);
  }
  return it->second;
}

LaunchConfigId TracePart::Launch(const LaunchConfig& config) {
  auto [it, inserted] = launches_.try_emplace(config, MakeId<LaunchConfigId>(launches_.size()));
  if (inserted) {
    LaunchConfigsTable& t = tables.launch_configs;
    t.grid_x.push_back(config.grid[0]);
    t.grid_y.push_back(config.grid[1]);
    t.grid_z.push_back(config.grid[2]);
    t.block_x.push_back(config.block[0]);
    t.block_y.push_back(config.block[1]);
    t.block_z.push_back(config.block[2]);
    t.registers.push_back(config.registers);
    t.shared_bytes.push_back(config.shared_bytes);
    t.blocks_per_sm.push_back(config.blocks_per_sm);
    t.warps_per_sm.push_back(config.warps_per_sm);
    t.occupancy_percent.push_back(config.occupancy_percent);
  }
  return it->second;
}

void TracePart::Log(std::string_view code, int64_t offset, std::string_view message) {
  const StringId text = Intern(message);
  const std::pair key{Intern(code), offset == kMissing ? text : StringId::kEmpty};
  auto [it, inserted] = log_rows_.try_emplace(key, tables.import_log.code.size());
  if (inserted) {
    tables.import_log.source.push_back(source_);
    tables.import_log.code.push_back(key.first);
    tables.import_log.message.push_back(text);
    tables.import_log.offset.push_back(offset);
    tables.import_log.count.push_back(0);
  }
  ++tables.import_log.count[it->second];
}

SourceId TraceBuilder::AddSource(std::string_view path, std::string_view format, int64_t bytes) {
  Source source;
  source.path = path;
  source.format = format;
  source.bytes = bytes;
  sources_.push_back(std::move(source));
  return MakeId<SourceId>(sources_.size() - 1);
}

void TraceBuilder::DropLastSource() {
  WS_CHECK(!sources_.empty());
  sources_.pop_back();
  std::erase_if(parts_,
                [&](const TracePart& part) { return Index(part.source()) >= sources_.size(); });
}

void TraceBuilder::AddEvents(SourceId source, int64_t events) {
  sources_[Index(source)].events += events;
}

void TraceBuilder::SetRank(SourceId source, int64_t rank, int64_t world_size,
                           std::string_view backend) {
  Source& s = sources_[Index(source)];
  s.rank = rank;
  s.world_size = world_size;
  s.backend = backend;
}

void TraceBuilder::SetUnixBase(SourceId source, int64_t base_ns) {
  if (base_ns < -kLargestOrigin || base_ns > kLargestOrigin) return;
  sources_[Index(source)].unix_base = base_ns;
}

void TraceBuilder::SetRun(SourceId source, uint64_t run, std::string_view machine) {
  sources_[Index(source)].run = run;
  sources_[Index(source)].machine = machine;
}

namespace {

template <typename T>
T MissingValue() {
  if constexpr (std::is_same_v<T, StringId>) {
    return StringId::kEmpty;
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return kMissing;
  } else if constexpr (std::is_same_v<T, double>) {
    return kMissingReal;
  } else {
    return kNone<T>;
  }
}

void FillEmptyColumns(TraceTables& tables) {
  TraceTables::Tables([&](std::string_view, std::string_view, auto member) {
    auto& table = tables.*member;
    using Table = std::remove_cvref_t<decltype(table)>;
    size_t rows = 0;
    Table::Columns([&](ColumnInfo, auto column) { rows = std::max(rows, (table.*column).size()); });
    Table::Columns([&](ColumnInfo, auto column) {
      using T = typename std::remove_cvref_t<decltype(table.*column)>::value_type;
      if ((table.*column).empty()) (table.*column).resize(rows, MissingValue<T>());
    });
  });
}

// Ids of tables in which rows with equal keys are shared.
template <typename T>
constexpr bool kIsShared =
    std::is_same_v<T, StringId> || std::is_same_v<T, ProcessId> || std::is_same_v<T, ThreadId> ||
    std::is_same_v<T, DeviceId> || std::is_same_v<T, StreamId> || std::is_same_v<T, SignatureId> ||
    std::is_same_v<T, LaunchConfigId>;

// Maps the ids of one part to those of the merged trace.
struct Remap {
  std::tuple<std::vector<StringId>, std::vector<ProcessId>, std::vector<ThreadId>,
             std::vector<DeviceId>, std::vector<StreamId>, std::vector<SignatureId>,
             std::vector<LaunchConfigId>>
      maps;
  // The number of rows of these tables in earlier parts.
  size_t host_extras = 0;
  size_t gpu_extras = 0;
  size_t collectives = 0;

  template <typename Id>
  std::vector<Id>& Of() {
    return std::get<std::vector<Id>>(maps);
  }

  template <typename T>
  T operator()(T value) const {
    if constexpr (std::is_same_v<T, HostExtraId>) {
      return Shift(value, host_extras);
    } else if constexpr (std::is_same_v<T, GpuExtraId>) {
      return Shift(value, gpu_extras);
    } else if constexpr (std::is_same_v<T, CollectiveId>) {
      return Shift(value, collectives);
    } else if constexpr (kIsShared<T>) {
      return IsSet(value) ? std::get<std::vector<T>>(maps)[Index(value)] : value;
    } else {
      return value;  // plain values and kinds; SourceId, which is global already
    }
  }

 private:
  template <typename Id>
  static Id Shift(Id id, size_t by) {
    return IsSet(id) ? MakeId<Id>(Index(id) + by) : id;
  }
};

// Merges the tables in which rows with equal keys are shared.
class SharedTables {
 public:
  explicit SharedTables(Trace& trace) : trace_(trace) {}

  Remap Merge(const TracePart& part) {
    Remap remap;
    auto& strings = remap.Of<StringId>();
    strings.reserve(part.strings.size());
    for (size_t i = 0; i < part.strings.size(); ++i) {
      strings.push_back(trace_.strings.Intern(part.strings.View(MakeId<StringId>(i))));
    }
    TraceTables& to = trace_.tables;
    const TraceTables& from = part.tables;
    MergeRows(from.processes, to.processes, remap, processes_, [](const auto& t, size_t i) {
      return std::pair{t.source[i], t.pid[i]};
    });
    MergeRows(from.threads, to.threads, remap, threads_, [](const auto& t, size_t i) {
      return std::pair{t.process[i], t.tid[i]};
    });
    MergeRows(from.devices, to.devices, remap, devices_, [](const auto& t, size_t i) {
      return std::pair{t.source[i], t.ordinal[i]};
    });
    MergeRows(from.streams, to.streams, remap, streams_, [](const auto& t, size_t i) {
      return std::tuple{t.device[i], t.context[i], t.stream[i], t.process[i]};
    });
    MergeRows(from.signatures, to.signatures, remap, signatures_, [](const auto& t, size_t i) {
      return std::tuple{t.dims[i], t.types[i], t.strides[i], t.values[i]};
    });
    MergeRows(from.launch_configs, to.launch_configs, remap, launches_, LaunchConfigAt);
    return remap;
  }

 private:
  static TracePart::LaunchConfig LaunchConfigAt(const LaunchConfigsTable& t, size_t i) {
    return {{t.grid_x[i], t.grid_y[i], t.grid_z[i]},
            {t.block_x[i], t.block_y[i], t.block_z[i]},
            t.registers[i],
            t.shared_bytes[i],
            t.blocks_per_sm[i],
            t.warps_per_sm[i],
            t.occupancy_percent[i]};
  }

  // Appends the rows of `from` that `to` does not have yet (by `key`, in merged ids). For rows that
  // `to` has, values of `from` replace those of `to`: names are recorded after the first use of a
  // lane, and the last one counts, as within a part.
  template <typename Table, typename Map, typename Key>
  static void MergeRows(const Table& from, Table& to, Remap& remap, Map& map, Key key) {
    using Id = typename Map::mapped_type;
    Table translated;
    Table::Columns([&](ColumnInfo, auto member) {
      for (const auto& value : from.*member) (translated.*member).push_back(remap(value));
    });
    auto& ids = remap.Of<Id>();
    for (size_t i = 0; i < RowCount(from); ++i) {
      auto [it, inserted] = map.try_emplace(key(translated, i), MakeId<Id>(RowCount(to)));
      ids.push_back(it->second);
      Table::Columns([&, added = inserted, at = Index(it->second)](ColumnInfo, auto member) {
        auto& target = to.*member;
        if (added) {
          target.push_back((translated.*member)[i]);
        } else if (!IsOpen((translated.*member)[i])) {
          target[at] = (translated.*member)[i];
        }
      });
    }
  }

  template <typename T>
  static bool IsOpen(const T& value) {
    if constexpr (std::is_same_v<T, StringId>) return value == StringId::kEmpty;
    if constexpr (std::is_same_v<T, int64_t>) return value == kMissing;
    return false;
  }

  Trace& trace_;
  HashMap<std::pair<SourceId, StringId>, ProcessId> processes_;
  HashMap<std::pair<ProcessId, StringId>, ThreadId> threads_;
  HashMap<std::pair<SourceId, int64_t>, DeviceId> devices_;
  HashMap<std::tuple<DeviceId, int64_t, int64_t, ProcessId>, StreamId> streams_;
  HashMap<std::tuple<StringId, StringId, StringId, StringId>, SignatureId> signatures_;
  HashMap<TracePart::LaunchConfig, LaunchConfigId> launches_;
};

// Joins one table of all parts, in timeline order if it has times. Columns are joined one by one,
// and each part's column is freed as soon as it is copied, so that peak memory stays near one copy
// of the table.
class TableJoin {
 public:
  TableJoin(std::vector<TracePart>& parts, const std::vector<Remap>& remaps, Trace& trace)
      : parts_(parts), remaps_(remaps), trace_(trace) {}

  // Queues the ordering of one table and the copying of each of its columns.
  template <typename Table>
  void Queue(Table TraceTables::*table) {
    auto places = std::make_shared<Places>();
    if constexpr (requires(Table t) { t.start; }) {
      QueueOrder(PartsOf(table, &Table::start), PartsOf(table, &Table::duration), places);
    } else if constexpr (requires(Table t) { t.time; }) {
      QueueOrder(PartsOf(table, &Table::time), {}, places);
    }
    Table::Columns([&](ColumnInfo, auto member) {
      QueueCopy(PartsOf(table, member), places, trace_.tables.*table.*member);
    });
  }

  void Run() {
    for (const auto* tasks : {&orders_, &copies_}) {
      tbb::parallel_for(
          size_t{0}, tasks->size(), [&](size_t i) { (*tasks)[i](); }, tbb::simple_partitioner());
    }
  }

 private:
  // The new row of every row of the parts, counted across parts; empty if the order does not
  // change.
  using Places = std::vector<uint32_t>;
  // The same column in every part. The functions below know the type of a column but not its table,
  // so they are compiled only once per type.
  template <typename T>
  using PartColumns = std::vector<Column<T>*>;

  template <typename Table, typename T>
  PartColumns<T> PartsOf(Table TraceTables::*table, Column<T> Table::*member) {
    PartColumns<T> columns;
    columns.reserve(parts_.size());
    for (TracePart& part : parts_) columns.push_back(&(part.tables.*table.*member));
    return columns;
  }

  void QueueOrder(PartColumns<TimeNs> starts, PartColumns<DurationNs> durations,
                  std::shared_ptr<Places> places) {
    orders_.push_back(
        [starts = std::move(starts), durations = std::move(durations), places = std::move(places)] {
          const std::vector<uint32_t> order = TimelineOrder(InARow(starts), InARow(durations));
          places->resize(order.size());
          for (uint32_t i = 0; i < order.size(); ++i) (*places)[order[i]] = i;
        });
  }

  static Column<int64_t> InARow(const PartColumns<int64_t>& parts) {
    Column<int64_t> joined;
    joined.reserve(SizeOf(parts));
    for (const Column<int64_t>* part : parts) {
      joined.insert(joined.end(), part->begin(), part->end());
    }
    return joined;
  }

  template <typename T>
  void QueueCopy(PartColumns<T> parts, std::shared_ptr<const Places> places, Column<T>& target) {
    copies_.push_back([this, &target, parts = std::move(parts), places = std::move(places)] {
      Copy(parts, *places, target);
    });
  }

  template <typename T>
  void Copy(const PartColumns<T>& parts, const Places& places, Column<T>& target) const {
    ReserveLarge(target, SizeOf(parts));
    target.resize(SizeOf(parts));
    size_t row = 0;
    for (size_t p = 0; p < parts.size(); ++p) {
      const Remap& remap = remaps_[p];
      Column<T> part = std::exchange(*parts[p], {});
      if (places.empty()) {
        for (const T& value : part) target[row++] = remap(value);
      } else {
        for (const T& value : part) target[places[row++]] = remap(value);
      }
    }
  }

  template <typename T>
  static size_t SizeOf(const PartColumns<T>& parts) {
    size_t rows = 0;
    for (const Column<T>* part : parts) rows += part->size();
    return rows;
  }

  std::vector<TracePart>& parts_;
  const std::vector<Remap>& remaps_;
  Trace& trace_;
  std::vector<std::function<void()>> orders_;
  std::vector<std::function<void()>> copies_;
};

// Joins rows of the import log with the same source, code and (without an offset) message: parts
// count problems separately. See TracePart::Log().
void MergeLog(ImportLogTable& log) {
  ImportLogTable merged;
  HashMap<std::tuple<SourceId, StringId, StringId>, size_t> rows;
  for (size_t i = 0; i < log.code.size(); ++i) {
    const StringId message = log.offset[i] == kMissing ? log.message[i] : StringId::kEmpty;
    auto [it, added] = rows.try_emplace({log.source[i], log.code[i], message}, merged.code.size());
    if (added) {
      ImportLogTable::Columns(
          [&](ColumnInfo, auto member) { (merged.*member).push_back((log.*member)[i]); });
    } else {
      merged.count[it->second] += log.count[i];
    }
  }
  log = std::move(merged);
}

// Calls visit(times, durations) for every table with times; durations is null for tables of points
// in time.
template <typename Visit>
void ForEachTimedTable(TraceTables& tables, Visit visit) {
  TraceTables::Tables([&](std::string_view, std::string_view, auto member) {
    auto& table = tables.*member;
    if constexpr (requires { table.start; }) {
      visit(table.start, &table.duration);
    } else if constexpr (requires { table.time; }) {
      visit(table.time, nullptr);
    }
  });
}

// Leaves out impossible numbers (limits.h), whichever importer read them. Times are checked in
// Seal(), since only all parts together show which are impossible.
void DropAbsurdNumbers(TracePart& part) {
  TraceTables::Tables([&](std::string_view name, std::string_view, auto member) {
    auto& table = part.tables.*member;
    std::remove_cvref_t<decltype(table)>::Columns([&](ColumnInfo info, auto column) {
      using T = typename std::remove_cvref_t<decltype(table.*column)>::value_type;
      if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, double>) {
        if ((table.*column).empty()) return;
        const NumberRule& rule = NumberRuleOf(name, info.name);
        if (rule.quantity == Quantity::kIdentifier || rule.quantity == Quantity::kTime) return;
        const int64_t replaced = integrity::ReplaceForbidden(rule, table.*column);
        for (int64_t i = 0; i < replaced; ++i) {
          part.Log(kAbsurdNumber, kMissing, kAbsurdNumberMessage);
        }
      }
    });
  });
}

// Makes times relative to the earliest slice or point, and finds the latest end.
void SetOrigin(Trace& trace) {
  TimeNs origin = std::numeric_limits<TimeNs>::max();
  ForEachTimedTable(trace.tables, [&](const Column<TimeNs>& times, const Column<DurationNs>*) {
    if (!times.empty()) origin = std::min(origin, times.front());  // in timeline order
  });
  if (origin == std::numeric_limits<TimeNs>::max()) origin = 0;
  trace.origin_ns = origin;
  ForEachTimedTable(trace.tables, [&](Column<TimeNs>& times, const Column<DurationNs>* durations) {
    for (size_t i = 0; i < times.size(); ++i) {
      times[i] -= origin;
      trace.end = std::max(trace.end, times[i] + (durations ? (*durations)[i] : 0));
    }
  });
}

// The first source with an implausible number of GPUs, or none. A file comes from one machine,
// which has 16 GPUs or so, and reports process every GPU separately.
SourceId FindTooManyDevices(const TraceTables& tables) {
  constexpr size_t kMaxDevices = 1024;
  std::map<SourceId, size_t> counts;
  for (const SourceId source : tables.devices.source) {
    if (++counts[source] > kMaxDevices) return source;
  }
  return kNone<SourceId>;
}

}  // namespace

void TraceBuilder::Add(TracePart part) {
  FillEmptyColumns(part.tables);
  DropAbsurdNumbers(part);
  parts_.push_back(std::move(part));
}

// Leaves out events that are absurdly far from most others: a single damaged time would stretch the
// trace over decades, and sums of such spans overflow.
void TraceBuilder::DropFarTimes() {
  std::vector<TimeNs> all;
  for (TracePart& part : parts_) {
    ForEachTimedTable(part.tables, [&](const Column<TimeNs>& times, const Column<DurationNs>*) {
      if (times.empty()) return;
      const auto [low, high] = std::minmax_element(times.begin(), times.end());
      all.push_back(*low);
      all.push_back(*high);
    });
  }
  if (all.empty()) return;
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  if (*high - *low <= kLongestTrace) return;

  all.clear();
  for (TracePart& part : parts_) {
    ForEachTimedTable(part.tables, [&](const Column<TimeNs>& times, const Column<DurationNs>*) {
      all.insert(all.end(), times.begin(), times.end());
    });
  }
  const auto is_far = [median = UpperMedian(all)](TimeNs time) {
    return time > median + kLongestTrace / 2 || time < median - kLongestTrace / 2;
  };
  for (TracePart& part : parts_) {
    TraceTables::Tables([&](std::string_view, std::string_view, auto member) {
      auto& table = part.tables.*member;
      const Column<TimeNs>* times = nullptr;
      if constexpr (requires { table.start; }) times = &table.start;
      if constexpr (requires { table.time; }) times = &table.time;
      if (times == nullptr || std::none_of(times->begin(), times->end(), is_far)) return;
      std::vector<uint32_t> kept;
      for (size_t row = 0; row < times->size(); ++row) {
        if (!is_far((*times)[row])) {
          kept.push_back(static_cast<uint32_t>(row));
        } else {
          part.Log("far_time", kMissing, "an event is at least 52 days away from most others");
        }
      }
      std::remove_cvref_t<decltype(table)>::Columns([&](ColumnInfo, auto column) {
        auto& values = table.*column;
        for (size_t i = 0; i < kept.size(); ++i) values[i] = values[kept[i]];
        values.resize(kept.size());
      });
    });
  }
}

std::vector<TraceBuilder::SourceFacts> TraceBuilder::DescribeSources() const {
  std::vector<SourceFacts> facts;
  for (const Source& source : sources_) {
    SourceFacts& f = facts.emplace_back();
    f.path = source.path;
    f.format = source.format;
    f.rank = source.rank;
    f.world_size = source.world_size;
    f.unix_base = source.unix_base;
    f.run = source.run;
  }
  for (const TracePart& part : parts_) {
    SourceFacts& f = facts[Index(part.source())];
    const GpuActivitiesTable& gpu = part.tables.gpu;
    for (size_t i = 0; i < gpu.start.size(); ++i) {
      const TimeNs end = gpu.start[i] + gpu.duration[i];
      f.start = f.start == kMissing ? gpu.start[i] : std::min(f.start, gpu.start[i]);
      f.end = f.end == kMissing ? end : std::max(f.end, end);
      f.gpu_time = std::min(kLargestTotal, f.gpu_time + gpu.duration[i]);
    }
    f.activities += static_cast<int64_t>(gpu.start.size());
  }
  return facts;
}

// Gives files of one run and machine the same base. They share a clock, but each process measured
// the base by itself, with a difference of some microseconds.
void TraceBuilder::ShareClocks() {
  // Bases that differ by more belong to machines with the same name that started at different
  // times.
  constexpr int64_t kLargestError = 1'000'000'000;
  for (size_t i = 0; i < sources_.size(); ++i) {
    Source& source = sources_[i];
    if (source.run == 0 || source.machine.empty() || source.unix_base == kMissing) continue;
    for (size_t k = 0; k < i; ++k) {
      const Source& other = sources_[k];
      if (other.run != source.run || other.machine != source.machine ||
          other.unix_base == kMissing) {
        continue;
      }
      const int64_t difference = source.unix_base - other.unix_base;
      if (difference > kLargestError || difference < -kLargestError) continue;
      source.unix_base = other.unix_base;
      break;
    }
  }
}

// By source: whether it has any event. Files without events have no clock to align.
std::vector<bool> TraceBuilder::TimedSources() {
  std::vector<bool> timed(sources_.size());
  for (TracePart& part : parts_) {
    ForEachTimedTable(part.tables, [&](const Column<TimeNs>& times, const Column<DurationNs>*) {
      if (!times.empty()) timed[Index(part.source())] = true;
    });
  }
  return timed;
}

// Converts the times of all files to the clock of the first file with events, if all bases are
// known. Returns the base of that file.
int64_t TraceBuilder::AlignClocks() {
  // Processes whose clocks differ by more than a year do not belong to one job.
  constexpr int64_t kLargestShift = int64_t{365} * 24 * 3600 * 1'000'000'000;
  if (sources_.empty()) return kMissing;
  const std::vector<bool> timed = TimedSources();
  const auto first = std::find(timed.begin(), timed.end(), true);
  const int64_t base =
      sources_[first == timed.end() ? 0 : static_cast<size_t>(first - timed.begin())].unix_base;
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (timed[i] && sources_[i].unix_base == kMissing) return base;
  }
  for (TracePart& part : parts_) {
    if (!timed[Index(part.source())]) continue;
    const int64_t shift = sources_[Index(part.source())].unix_base - base;
    if (shift == 0 || shift > kLargestShift || shift < -kLargestShift) continue;
    ForEachTimedTable(part.tables, [&](Column<TimeNs>& times, const Column<DurationNs>*) {
      for (TimeNs& time : times) time += shift;
    });
  }
  return base;
}

Result<Trace> TraceBuilder::Seal() {
  ShareClocks();
  const int64_t unix_base = AlignClocks();
  DropFarTimes();
  UnifyDeviceNumbers(parts_);
  Trace trace;
  SharedTables shared(trace);
  std::vector<Remap> remaps;
  remaps.reserve(parts_.size());
  size_t host_extras = 0;
  size_t gpu_extras = 0;
  size_t collectives = 0;
  for (const TracePart& part : parts_) {
    remaps.push_back(shared.Merge(part));
    remaps.back().host_extras = host_extras;
    remaps.back().gpu_extras = gpu_extras;
    remaps.back().collectives = collectives;
    host_extras += RowCount(part.tables.host_extras);
    gpu_extras += RowCount(part.tables.gpu_extras);
    collectives += RowCount(part.tables.collectives);
  }
  if (const SourceId source = FindTooManyDevices(trace.tables); IsSet(source)) {
    return Error{sources_[Index(source)].path +
                 ": it lists more than 1,024 GPUs; the file is damaged"};
  }
  TableJoin join(parts_, remaps, trace);
  join.Queue(&TraceTables::host);
  join.Queue(&TraceTables::nvtx);
  join.Queue(&TraceTables::api);
  join.Queue(&TraceTables::gpu);
  join.Queue(&TraceTables::flows);
  join.Queue(&TraceTables::gpu_annotations);
  join.Queue(&TraceTables::syncs);
  join.Queue(&TraceTables::memory);
  join.Queue(&TraceTables::instants);
  join.Queue(&TraceTables::collectives);
  join.Queue(&TraceTables::host_extras);
  join.Queue(&TraceTables::gpu_extras);
  join.Queue(&TraceTables::step_times);
  join.Queue(&TraceTables::clean_stretches);
  join.Queue(&TraceTables::kernel_counters);
  join.Queue(&TraceTables::metadata);
  join.Queue(&TraceTables::import_log);
  join.Run();
  parts_.clear();
  MergeLog(trace.tables.import_log);

  for (const Source& source : sources_) {
    SourcesTable& t = trace.tables.sources;
    const auto sound = [](std::string_view column, int64_t value) {
      return integrity::IsAbsurd(NumberRuleOf("sources", column), value) ? kMissing : value;
    };
    t.path.push_back(trace.strings.Intern(source.path));
    t.format.push_back(trace.strings.Intern(source.format));
    t.bytes.push_back(sound("bytes", source.bytes));
    t.events.push_back(source.events);
    t.rank.push_back(sound("rank", source.rank));
    t.world_size.push_back(sound("world_size", source.world_size));
    t.backend.push_back(trace.strings.Intern(source.backend));
  }
  SplitProcesses(trace.tables);
  SetOrigin(trace);
  if (const std::string problem = CheckTotals(trace); !problem.empty()) {
    std::string files = sources_.empty() ? "the trace" : sources_.front().path;
    if (sources_.size() > 1) files += " and " + std::to_string(sources_.size() - 1) + " more";
    return Error{files + ": damaged: " + problem};
  }
  sources_.clear();
  if (unix_base != kMissing) {
    const int64_t unix_ns = unix_base + trace.origin_ns;
    if (unix_ns >= -kLargestOrigin && unix_ns <= kLargestOrigin) trace.origin_unix_ns = unix_ns;
  }
  trace.ReadInputs();
  return trace;
}

}  // namespace warpsight
