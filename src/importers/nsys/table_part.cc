#include "importers/nsys/table_part.h"

#include <algorithm>

#include <fmt/format.h>

#include "importers/api/bounds.h"

namespace warpsight::importers::nsys {
bool TablePart::Next(SqliteRows& rows) {
  if (rows.Next()) {
    ++rows_;
    return true;
  }
  if (!rows.error().empty()) {
    Log("damaged_table",
        fmt::format("reading stopped: {}; the rows before it were read", rows.error()));
  }
  return false;
}

std::optional<TablePart::Times> TablePart::TimesAt(const SqliteRows& rows, int start, int end) {
  const int64_t first = rows.IntegerOr(start, kMissing);
  const int64_t last = rows.IntegerOr(end, kMissing);
  if (last == kMissing && first != kMissing) {
    Log("no_end", "a row has no end; it was left out");
    return std::nullopt;
  }
  if (first < -kLatestTime || first > kLatestTime || last < -kLatestTime || last > kLatestTime) {
    Log("bad_time", "a row has no start, or an invalid one; it was left out");
    return std::nullopt;
  }
  if (last - first > kLongestSlice) {
    Log("bad_duration", "a row lasts longer than any recording; it was left out");
    return std::nullopt;
  }
  if (last < first)
    Log("negative_duration", "a row ends before it starts; its duration was set to 0");
  return Times{first, std::max<DurationNs>(0, last - first)};
}

int64_t TablePart::Within(const SqliteRows& rows, int column, int64_t high) {
  const int64_t value = rows.IntegerOr(column, kMissing);
  if (IsWithin(0, value, high)) return value;
  Log(kAbsurdNumber, kAbsurdNumberMessage);
  return kMissing;
}

ProcessId TablePart::Process(int64_t global_pid) {
  const auto [it, added] = processes_.try_emplace(PidOf(global_pid), kNone<ProcessId>);
  if (added) it->second = part_.Process(std::to_string(PidOf(global_pid)));
  return it->second;
}

ThreadId TablePart::Thread(int64_t global_tid) {
  const auto [it, added] = threads_.try_emplace(global_tid, kNone<ThreadId>);
  if (added) {
    it->second = part_.Thread(std::to_string(PidOf(global_tid)), std::to_string(TidOf(global_tid)));
  }
  return it->second;
}

StreamId TablePart::Stream(int64_t global_pid, int64_t device, int64_t context, int64_t stream) {
  const int64_t number =
      global_pid == kMissing ? device : facts_.devices.Of(PidOf(global_pid), device);
  return StreamOn(number, global_pid, context, stream, number == device ? kMissing : device);
}

StreamId TablePart::StreamOn(int64_t device, int64_t global_pid, int64_t context, int64_t stream,
                             int64_t recorded_device) {
  return part_.Stream(device, context, stream,
                      global_pid == kMissing ? kNone<ProcessId> : Process(global_pid),
                      recorded_device);
}

void TablePart::Log(std::string_view code, std::string_view message) {
  part_.Log(code, kMissing, fmt::format("{}: {}", table_, message));
}

}  // namespace warpsight::importers::nsys
