#include "exporters/chrome/file_frame.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "exporters/api/json_text.h"

namespace warpsight::exporters::chrome {
namespace {

// Readers detect the format by the first bytes, so long fields are written after the records.
constexpr size_t kLongestHead = 2048;
// As in Kineto: GPUs are sorted after the processes.
constexpr int64_t kFirstGpuSortIndex = 5000000;

std::string_view FieldOf(const Trace& trace, SourceId source, std::string_view key) {
  const MetadataTable& t = trace.tables.metadata;
  std::string_view value;
  for (size_t i = 0; i < t.key.size(); ++i) {
    if (t.source[i] == source && trace.Text(t.key[i]) == key) value = trace.Text(t.value[i]);
  }
  return value;
}

int64_t ClockBase(const Trace& trace, SourceId source) {
  const std::string_view text = FieldOf(trace, source, "baseTimeNanoseconds");
  int64_t base = kMissing;
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, base);
  return error == std::errc() && parsed == end ? base : kMissing;
}

// When files with different bases are read, their times are converted to the first file's base.
int64_t ClockOf(const Trace& trace, SourceId source) {
  const size_t sources = RowCount(trace.tables.sources);
  const SourceFiles files(trace);
  constexpr int64_t kLargestShift = int64_t{365} * 24 * 3600 * 1'000'000'000;  // as in TraceBuilder
  for (size_t i = 0; i < sources; ++i) {
    const auto file = MakeId<SourceId>(i);
    if (files.IsFile(file) && ClockBase(trace, file) == kMissing) return trace.origin_ns;
  }
  const int64_t shift = ClockBase(trace, source) - ClockBase(trace, SourceId{});
  const bool shifted = shift <= kLargestShift && shift >= -kLargestShift;
  return shifted ? trace.origin_ns - shift : trace.origin_ns;
}

struct Field {
  std::string key;    // escaped
  std::string value;  // JSON
};

// Appends fields that are not empty, separated by commas.
class ObjectText {
 public:
  explicit ObjectText(std::string& out) : json_(out) { json_.Raw("{"); }
  void Integer(std::string_view key, int64_t value) {
    if (value == kMissing) return;
    Key(key);
    json_.Integer(value);
  }
  void Text(std::string_view key, std::string_view text) {
    if (text.empty()) return;
    Key(key);
    json_.Quoted(text);
  }
  void Close() { json_.Raw("}"); }

 private:
  void Key(std::string_view key) {
    json_.Raw(first_ ? "\"" : ",\"");
    json_.Raw(key);
    json_.Raw("\":");
    first_ = false;
  }
  JsonText json_;
  bool first_ = true;
};

bool IsDescribed(const DevicesTable& t, size_t row) {
  const auto columns = {&t.compute_major,  &t.compute_minor, &t.sms,           &t.memory_bytes,
                        &t.threads_per_sm, &t.regs_per_sm,   &t.shared_per_sm, &t.warp_size};
  return t.name[row] != StringId::kEmpty ||
         std::any_of(columns.begin(), columns.end(),
                     [&](const Column<int64_t>* column) { return (*column)[row] != kMissing; });
}

// The GPUs of a file: rows of devices, one per number.
std::vector<size_t> GpusOf(const Trace& trace, SourceId file) {
  const DevicesTable& t = trace.tables.devices;
  const SourceFiles files(trace);
  std::vector<size_t> rows;
  for (size_t i = 0; i < t.source.size(); ++i) {
    if (files.FileOf(t.source[i]) != file) continue;
    const bool known = std::any_of(rows.begin(), rows.end(),
                                   [&](size_t row) { return t.ordinal[row] == t.ordinal[i]; });
    if (!known) rows.push_back(i);
  }
  return rows;
}

std::string DeviceProperties(const Trace& trace, SourceId file) {
  const DevicesTable& t = trace.tables.devices;
  std::string list;
  for (const size_t i : GpusOf(trace, file)) {
    if (!IsDescribed(t, i)) continue;
    list += list.empty() ? "[" : ",";
    ObjectText device(list);
    device.Integer("id", t.ordinal[i]);
    device.Text("name", trace.Text(t.name[i]));
    device.Integer("totalGlobalMem", t.memory_bytes[i]);
    device.Integer("computeMajor", t.compute_major[i]);
    device.Integer("computeMinor", t.compute_minor[i]);
    device.Integer("maxThreadsPerMultiprocessor", t.threads_per_sm[i]);
    device.Integer("regsPerMultiprocessor", t.regs_per_sm[i]);
    device.Integer("sharedMemPerMultiprocessor", t.shared_per_sm[i]);
    device.Integer("warpSize", t.warp_size[i]);
    device.Integer("numSms", t.sms[i]);
    device.Close();
  }
  return list.empty() ? list : list + "]";
}

std::string DistributedInfo(const Trace& trace, SourceId source) {
  const SourcesTable& t = trace.tables.sources;
  const size_t row = Index(source);
  if (t.rank[row] == kMissing && t.world_size[row] == kMissing) return {};
  std::string text;
  ObjectText info(text);
  info.Text("backend", trace.Text(t.backend[row]));
  info.Integer("rank", t.rank[row]);
  info.Integer("world_size", t.world_size[row]);
  info.Close();
  return text;
}

std::string EscapedKey(std::string_view key) {
  if (IsJsonStringContent(key)) return std::string(key);
  std::string quoted;
  JsonText(quoted).Quoted(key);
  return quoted.substr(1, quoted.size() - 2);
}

// The fields that were read from the file, and fields for data in the tables that no field
// contained. The first field lists the latter.
std::vector<Field> FieldsOf(const Trace& trace, SourceId source) {
  std::vector<Field> fields{{"warpsightExport", ""}};
  std::string added;
  const MetadataTable& t = trace.tables.metadata;
  for (size_t i = 0; i < t.key.size(); ++i) {
    if (t.source[i] != source) continue;
    fields.push_back({EscapedKey(trace.Text(t.key[i])), std::string(trace.Text(t.value[i]))});
  }
  const auto has = [&](std::string_view key) {
    return std::any_of(fields.begin(), fields.end(), [&](const Field& f) { return f.key == key; });
  };
  const auto add = [&](std::string_view key, std::string value) {
    if (value.empty()) return;
    added.append(added.empty() ? "\"" : ",\"").append(key).append("\"");
    fields.push_back({std::string(key), std::move(value)});
  };
  if (!has("deviceProperties") && !has("computeProperties")) {
    add("deviceProperties", DeviceProperties(trace, source));
  }
  if (!has("distributedInfo")) add("distributedInfo", DistributedInfo(trace, source));
  if (!has("baseTimeNanoseconds") && trace.origin_unix_ns != kMissing) {
    add("baseTimeNanoseconds", std::to_string(trace.origin_unix_ns - trace.origin_ns));
  }
  fields.front().value = fmt::format("{{\"added\":[{}]}}", added);
  return fields;
}

// Writes records with the names of lanes. All lanes are named, in the order of their tables and
// even if the name is empty, so that importing restores their order.
class LaneNames {
 public:
  LaneNames(const Trace& trace, SourceId file, std::string& out)
      : trace_(trace), file_(file), files_(trace), json_(out) {}

  void Write() {
    Processes();
    Threads();
    Gpus();
    Streams();
  }

 private:
  bool Has(ProcessId process) const {
    return files_.FileOf(trace_.tables.processes.source[Index(process)]) == file_;
  }

  bool Has(DeviceId device) const {
    return files_.FileOf(trace_.tables.devices.source[Index(device)]) == file_;
  }

  void Begin(std::string_view name, std::string_view pid, std::string_view tid) {
    json_.Raw(first_ ? "\n{\"ph\":\"M\",\"name\":\"" : ",\n{\"ph\":\"M\",\"name\":\"");
    first_ = false;
    json_.Raw(name);
    json_.Raw("\",\"pid\":");
    json_.NumberOrText(pid);
    json_.Raw(",\"tid\":");
    json_.NumberOrText(tid);
  }

  void Named(std::string_view record, std::string_view pid, std::string_view tid,
             std::string_view key, StringId value) {
    Begin(record, pid, tid);
    json_.Raw(",\"args\":{\"");
    json_.Raw(key);
    json_.Raw("\":");
    json_.Quoted(trace_.Text(value));
    json_.Raw("}}");
  }

  void SortIndex(int64_t pid, int64_t index) {
    Begin("process_sort_index", std::to_string(pid), "0");
    json_.Raw(",\"args\":{\"sort_index\":");
    json_.Integer(index);
    json_.Raw("}}");
  }

  void Processes() {
    const ProcessesTable& t = trace_.tables.processes;
    for (size_t i = 0; i < t.pid.size(); ++i) {
      if (!Has(MakeId<ProcessId>(i))) continue;
      const std::string_view pid = trace_.Text(t.pid[i]);
      Named("process_name", pid, "0", "name", t.name[i]);
      if (t.labels[i] != StringId::kEmpty) Named("process_labels", pid, "0", "labels", t.labels[i]);
    }
  }

  void Threads() {
    const ThreadsTable& t = trace_.tables.threads;
    for (size_t i = 0; i < t.tid.size(); ++i) {
      if (!Has(t.process[i])) continue;
      const std::string_view pid = trace_.Text(trace_.tables.processes.pid[Index(t.process[i])]);
      Named("thread_name", pid, trace_.Text(t.tid[i]), "name", t.name[i]);
    }
  }

  void Gpus() {
    const DevicesTable& t = trace_.tables.devices;
    for (const size_t i : GpusOf(trace_, file_)) {
      Begin("warpsight_gpu", std::to_string(t.ordinal[i]), "0");
      json_.Raw(fmt::format(",\"args\":{{\"device\":{}}}}}", t.ordinal[i]));
      if (!KnowsProcess(std::to_string(t.ordinal[i]))) NameGpu(t.ordinal[i]);
      SortIndex(t.ordinal[i], kFirstGpuSortIndex + t.ordinal[i]);
    }
  }

  // Viewers identify streams by their lanes; these records also give each stream its row.
  void Streams() {
    const StreamsTable& t = trace_.tables.streams;
    const auto number = [](int64_t value) {
      return value == kMissing ? std::string("null") : std::to_string(value);
    };
    for (size_t i = 0; i < t.stream.size(); ++i) {
      if (!Has(t.device[i])) continue;
      const int64_t device = trace_.tables.devices.ordinal[Index(t.device[i])];
      Begin("warpsight_stream", std::to_string(device), "0");
      json_.Raw(fmt::format(",\"args\":{{\"device\":{},\"context\":{},\"stream\":{}", device,
                            number(t.context[i]), number(t.stream[i])));
      if (IsSet(t.process[i])) {
        json_.Raw(",\"warpsight:process\":");
        json_.Quoted(trace_.Text(trace_.tables.processes.pid[Index(t.process[i])]));
      }
      if (t.recorded_device[i] != kMissing) {
        json_.Raw(fmt::format(",\"warpsight:recorded device\":{}", t.recorded_device[i]));
      }
      json_.Raw("}}");
    }
  }

  bool KnowsProcess(std::string_view pid) const {
    const ProcessesTable& t = trace_.tables.processes;
    for (size_t i = 0; i < t.pid.size(); ++i) {
      if (Has(MakeId<ProcessId>(i)) && trace_.Text(t.pid[i]) == pid) return true;
    }
    return false;
  }

  // Lanes that only viewers need: the model has no name for them, and the importer must not create
  // one.
  void NameGpu(int64_t ordinal) {
    Begin("process_name", std::to_string(ordinal), "0");
    json_.Raw(
        fmt::format(",\"args\":{{\"name\":\"GPU {}\",\"warpsight:only shown\":true}}}}", ordinal));
    const StreamsTable& t = trace_.tables.streams;
    for (size_t i = 0; i < t.stream.size(); ++i) {
      const bool mine =
          Has(t.device[i]) && trace_.tables.devices.ordinal[Index(t.device[i])] == ordinal;
      if (!mine || t.stream[i] == kMissing) continue;
      const std::string stream = std::to_string(t.stream[i]);
      Begin("thread_name", std::to_string(ordinal), stream);
      json_.Raw(fmt::format(",\"args\":{{\"name\":\"stream {}\",\"warpsight:only shown\":true}}}}",
                            stream));
    }
  }

  const Trace& trace_;
  const SourceId file_;
  const SourceFiles files_;
  JsonText json_;
  bool first_ = true;
};

}  // namespace

FileFrame MakeFrame(const Trace& trace, SourceId file) {
  FileFrame frame;
  frame.clock = ClockOf(trace, file);
  const std::vector<Field> fields = FieldsOf(trace, file);
  frame.head = "{";
  size_t next = 0;
  for (; next < fields.size() && frame.head.size() < kLongestHead; ++next) {
    const Field& field = fields[next];
    if (field.value.size() > kLongestHead) break;
    frame.head.append("\"").append(field.key).append("\":").append(field.value).append(",\n");
  }
  frame.head.append("\"traceEvents\":[");
  LaneNames(trace, file, frame.head).Write();
  frame.tail = "\n]";
  for (; next < fields.size(); ++next) {
    const Field& field = fields[next];
    frame.tail.append(",\n\"").append(field.key).append("\":").append(field.value);
  }
  frame.tail.append("}\n");
  return frame;
}

}  // namespace warpsight::exporters::chrome
