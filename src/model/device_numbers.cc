#include "model/device_numbers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace warpsight {
namespace {

// The GPUs of a file by number: those that it describes, and those that did work.
struct FileDevices {
  // Name, multiprocessors, memory: GPUs with equal values are of the same kind.
  using Kind = std::tuple<std::string, int64_t, int64_t>;
  std::map<int64_t, Kind> described;
  std::set<int64_t> worked;
};

std::map<SourceId, FileDevices> Collect(std::span<const TracePart> parts) {
  std::map<SourceId, FileDevices> files;
  for (const TracePart& part : parts) {
    const DevicesTable& t = part.tables.devices;
    for (size_t d = 0; d < t.ordinal.size(); ++d) {
      if (t.name[d] == StringId::kEmpty && t.sms[d] == kMissing) continue;
      files[t.source[d]].described[t.ordinal[d]] = {std::string(part.strings.View(t.name[d])),
                                                    t.sms[d], t.memory_bytes[d]};
    }
    std::vector<bool> seen(RowCount(part.tables.streams));
    for (const StreamId stream : part.tables.gpu.stream) {
      if (seen[Index(stream)]) continue;
      seen[Index(stream)] = true;
      const size_t d = Index(part.tables.streams.device[Index(stream)]);
      files[t.source[d]].worked.insert(t.ordinal[d]);
    }
  }
  return files;
}

// By the number of a description: its new number. Empty if nothing should change.
std::map<int64_t, int64_t> NewNumbers(const FileDevices& file) {
  std::vector<int64_t> unknown;
  for (const int64_t number : file.worked) {
    if (!file.described.contains(number)) unknown.push_back(number);
  }
  std::vector<int64_t> unused;
  std::set<FileDevices::Kind> kinds;
  for (const auto& [number, kind] : file.described) {
    if (file.worked.contains(number)) continue;
    unused.push_back(number);
    kinds.insert(kind);
  }
  if (unknown.empty() || unknown.size() > unused.size()) return {};
  if (unknown.size() != unused.size() && kinds.size() != 1) return {};
  // The numbers of work count CPUs too, so they are the larger ones: the last GPUs of the list get
  // them.
  const size_t skipped = unused.size() - unknown.size();
  std::map<int64_t, int64_t> numbers;
  for (size_t i = 0; i < unknown.size(); ++i) numbers[unused[skipped + i]] = unknown[i];
  return numbers;
}

}  // namespace

void UnifyDeviceNumbers(std::span<TracePart> parts) {
  std::map<SourceId, std::map<int64_t, int64_t>> numbers;
  for (const auto& [source, file] : Collect(parts)) numbers[source] = NewNumbers(file);
  for (TracePart& part : parts) {
    DevicesTable& t = part.tables.devices;
    for (size_t d = 0; d < t.ordinal.size(); ++d) {
      const auto& of_file = numbers[t.source[d]];
      if (const auto it = of_file.find(t.ordinal[d]); it != of_file.end())
        t.ordinal[d] = it->second;
    }
  }
}

}  // namespace warpsight
