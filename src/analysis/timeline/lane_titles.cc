#include "analysis/timeline/lane_titles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace warpsight {
namespace {

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string WithSource(std::string title, const Trace& trace, SourceId source) {
  const std::string label = SourceLabel(trace, source);
  if (!label.empty()) title += ", " + label;
  return title;
}

// If a file has several processes: the process to which the source belongs.
std::string ProcessLabel(const Trace& trace, SourceId source) {
  const ProcessesTable& processes = trace.tables.processes;
  const auto own = std::find(processes.source.begin(), processes.source.end(), source);
  if (own == processes.source.end()) return "";
  const auto row = static_cast<size_t>(own - processes.source.begin());
  return fmt::format("process {}", trace.Text(processes.pid[row]));
}

}  // namespace

std::string SourceLabel(const Trace& trace, SourceId source) {
  const SourcesTable& sources = trace.tables.sources;
  if (CountSourcesWithTimeline(trace) < 2) return "";
  const int64_t rank = sources.rank[Index(source)];
  if (rank != kMissing) return fmt::format("rank {}", rank);
  const Column<StringId>& paths = sources.path;
  const StringId name = paths[Index(source)];
  if (std::count(paths.begin(), paths.end(), name) > 1) return ProcessLabel(trace, source);
  const std::string_view path = trace.Text(name);
  return std::string(path.substr(path.find_last_of('/') + 1));  // npos + 1 is 0
}

std::string GpuTitle(const Trace& trace, DeviceId device) {
  const DevicesTable& devices = trace.tables.devices;
  const int64_t ordinal = devices.ordinal[Index(device)];
  std::string title = ordinal == kMissing ? "GPU" : fmt::format("GPU {}", ordinal);
  return WithSource(std::move(title), trace, devices.source[Index(device)]);
}

std::string StreamTitle(const Trace& trace, StreamId stream, bool with_context) {
  const StreamsTable& streams = trace.tables.streams;
  const int64_t number = streams.stream[Index(stream)];
  const int64_t context = streams.context[Index(stream)];
  if (number == kMissing) return "Work without a stream";
  if (!with_context || context == kMissing) return fmt::format("Stream {}", number);
  return fmt::format("Stream {}, context {}", number, context);
}

std::string ProcessTitle(const Trace& trace, ProcessId process) {
  const ProcessesTable& processes = trace.tables.processes;
  const std::string_view pid = trace.Text(processes.pid[Index(process)]);
  const std::string_view name = trace.Text(processes.name[Index(process)]);
  std::string title(name);
  if (name.empty()) {
    title = IsNumber(pid) ? fmt::format("Process {}", pid) : std::string(pid);
    if (title.empty()) title = "Process";
  } else if (IsNumber(pid)) {
    title += fmt::format(" {}", pid);
  }
  const SourceId source = processes.source[Index(process)];
  if (SourceLabel(trace, source) == ProcessLabel(trace, source))
    return title;  // it would repeat the label
  return WithSource(std::move(title), trace, source);
}

std::string ThreadTitle(const Trace& trace, ThreadId thread) {
  const ThreadsTable& threads = trace.tables.threads;
  const std::string_view name = trace.Text(threads.name[Index(thread)]);
  const std::string_view tid = trace.Text(threads.tid[Index(thread)]);
  if (name.starts_with("thread ")) return fmt::format("T{}", name.substr(1));
  if (!name.empty()) return std::string(name);
  if (tid.empty()) return "Thread";
  return IsNumber(tid) ? fmt::format("Thread {}", tid) : std::string(tid);
}

}  // namespace warpsight
