#include "model/split_processes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/disjoint_sets.h"

namespace warpsight {
namespace {

// A machine runs one rank per GPU, 16 or so. A file that lists far more is damaged and is not
// split.
constexpr size_t kMaxRanks = 256;

// By process: the first process of its group. Processes of one source that work on the same GPU (a
// data loader that copies, servers that share a GPU) form a group, since the time of the GPU cannot
// be divided between them.
std::vector<std::optional<size_t>> GroupsThatShareGpus(const TraceTables& tables) {
  std::vector<bool> has_work(RowCount(tables.streams));
  for (const StreamId stream : tables.gpu.stream) has_work[Index(stream)] = true;
  DisjointSets sets(RowCount(tables.processes));
  std::vector<bool> works(RowCount(tables.processes));
  std::vector<std::optional<size_t>> user(RowCount(tables.devices));
  for (size_t s = 0; s < has_work.size(); ++s) {
    if (!has_work[s] || !IsSet(tables.streams.process[s])) continue;
    const size_t process = Index(tables.streams.process[s]);
    works[process] = true;
    std::optional<size_t>& other = user[Index(tables.streams.device[s])];
    if (!other) other = process;
    if (tables.processes.source[*other] == tables.processes.source[process]) {
      sets.Join(*other, process);
    }
  }
  std::vector<std::optional<size_t>> groups(works.size());
  for (size_t p = 0; p < works.size(); ++p) {
    if (works[p]) groups[p] = sets.First(p);
  }
  return groups;
}

// Adds another source for the same file. Bytes and events count only in the first.
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

// Each GPU belongs to the source of the processes that worked on it.
void MoveDevices(TraceTables& tables, const std::vector<std::optional<size_t>>& groups) {
  for (size_t s = 0; s < RowCount(tables.streams); ++s) {
    const ProcessId process = tables.streams.process[s];
    if (!IsSet(process) || !groups[Index(process)]) continue;
    tables.devices.source[Index(tables.streams.device[s])] =
        tables.processes.source[Index(process)];
  }
}

}  // namespace

void SplitProcesses(TraceTables& tables) {
  const std::vector<std::optional<size_t>> groups = GroupsThatShareGpus(tables);
  std::vector<std::vector<size_t>> groups_of(RowCount(tables.sources));
  for (size_t p = 0; p < groups.size(); ++p) {
    if (groups[p] == p) groups_of[Index(tables.processes.source[p])].push_back(p);
  }
  // The first group stays in the original source.
  std::map<size_t, SourceId> added;
  for (size_t s = 0; s < groups_of.size(); ++s) {
    if (groups_of[s].size() > kMaxRanks) continue;
    for (size_t i = 1; i < groups_of[s].size(); ++i) {
      added[groups_of[s][i]] = AddSource(tables.sources, MakeId<SourceId>(s));
    }
  }
  if (added.empty()) return;
  for (size_t p = 0; p < groups.size(); ++p) {
    if (!groups[p]) continue;
    const auto at = added.find(*groups[p]);
    if (at != added.end()) tables.processes.source[p] = at->second;
  }
  MoveDevices(tables, groups);
}

}  // namespace warpsight
