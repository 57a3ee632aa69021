#include "model/split_processes.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpsight {
namespace {

// A machine runs a rank for each of its GPUs, 16 or so; what names far more is damaged and stays as
// it is.
constexpr size_t kMostProcesses = 256;

// By source: its processes that own streams with work, in the order of their rows.
std::vector<std::vector<ProcessId>> ProcessesWithWork(const TraceTables& tables) {
  std::vector<bool> has_work(RowCount(tables.streams));
  for (const StreamId stream : tables.gpu.stream) has_work[Index(stream)] = true;
  std::vector<bool> works(RowCount(tables.processes));
  for (size_t s = 0; s < has_work.size(); ++s) {
    const ProcessId process = tables.streams.process[s];
    if (has_work[s] && IsSet(process)) works[Index(process)] = true;
  }
  std::vector<std::vector<ProcessId>> found(RowCount(tables.sources));
  for (size_t p = 0; p < works.size(); ++p) {
    if (works[p]) found[Index(tables.processes.source[p])].push_back(MakeId<ProcessId>(p));
  }
  return found;
}

// The same file once more. Its bytes and events are counted once.
SourceId AddSource(SourcesTable& sources, SourceId original) {
  SourcesTable::Columns([&](ColumnInfo, auto member) {
    auto& column = sources.*member;
    column.push_back(column[Index(original)]);
  });
  sources.bytes.back() = 0;
  sources.events.back() = 0;
  sources.rank.back() = kMissing;
  return MakeId<SourceId>(RowCount(sources) - 1);
}

// Gives every stream a GPU of its process's source.
void SplitDevices(TraceTables& tables) {
  DevicesTable& devices = tables.devices;
  std::vector<bool> taken(RowCount(devices));  // by a source that keeps the row
  std::vector<DeviceId> copies;                // rows that were added, each for one source
  for (size_t s = 0; s < RowCount(tables.streams); ++s) {
    const ProcessId process = tables.streams.process[s];
    if (!IsSet(process)) continue;
    const SourceId source = tables.processes.source[Index(process)];
    DeviceId& device = tables.streams.device[s];
    const size_t row = Index(device);
    if (!taken[row] || devices.source[row] == source) {
      taken[row] = true;
      devices.source[row] = source;
      continue;
    }
    const auto same = std::find_if(copies.begin(), copies.end(), [&](DeviceId copy) {
      return devices.source[Index(copy)] == source &&
             devices.ordinal[Index(copy)] == devices.ordinal[row];
    });
    if (same != copies.end()) {
      device = *same;
      continue;
    }
    DevicesTable::Columns([&](ColumnInfo, auto member) {
      auto& column = devices.*member;
      column.push_back(column[row]);
    });
    devices.source.back() = source;
    taken.push_back(true);
    device = copies.emplace_back(MakeId<DeviceId>(RowCount(devices) - 1));
  }
}

}  // namespace

void SplitProcesses(TraceTables& tables) {
  const std::vector<std::vector<ProcessId>> processes = ProcessesWithWork(tables);
  bool split = false;
  for (size_t s = 0; s < processes.size(); ++s) {
    if (processes[s].size() > kMostProcesses) continue;
    for (size_t i = 1; i < processes[s].size(); ++i) {
      tables.processes.source[Index(processes[s][i])] =
          AddSource(tables.sources, MakeId<SourceId>(s));
      split = true;
    }
  }
  if (split) SplitDevices(tables);
}

}  // namespace warpsight
