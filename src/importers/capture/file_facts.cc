#include "importers/capture/file_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/container/btree_map.h"
#include "base/json_text.h"
#include "base/statistics.h"
#include "model/hash_map.h"

namespace warpsight::importers::capture {
namespace {

// In the year 2116. Its sum with any time of the file does not overflow.
constexpr int64_t kLatestBase = int64_t{1} << 62;

// Maps facts to the metadata keys that other traces use.
std::string_view MetadataKey(std::string_view fact) {
  static constexpr std::pair<std::string_view, std::string_view> kKeys[] = {
      {"cupti", "cupti_version"},
      {"driver", "gpu_driver_version"},
      {"torch", "pytorch_version"},
      {"python", "python_version"}};
  for (const auto& [name, key] : kKeys) {
    if (fact == name) return key;
  }
  return fact;
}

int64_t Integer(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : kMissing;
}

// "python" of "/usr/bin/python train.py".
std::string_view ProgramOf(std::string_view command) {
  command = command.substr(0, command.find(' '));
  return command.substr(command.rfind('/') + 1);  // npos + 1 is 0
}

double Seconds(DurationNs duration) { return static_cast<double>(duration) / 1e9; }

}  // namespace

void AddDevice(const wire::DeviceRecord& record, RowPart& rows) {
  const size_t row = Index(rows.part().Device(record.device));
  const auto number = [&](int64_t value) {
    return value == 0 ? kMissing : rows.Within(0, value, kLargestCount);
  };
  DevicesTable& t = rows.tables().devices;
  t.name[row] = rows.Text(record.name);
  t.compute_major[row] = number(record.major);
  t.compute_minor[row] = rows.Within(0, record.minor, kLargestCount);
  t.sms[row] = number(record.multiprocessors);
  t.memory_bytes[row] = number(record.memory_bytes);
  t.threads_per_sm[row] = number(record.threads_per_multiprocessor);
  t.regs_per_sm[row] = number(record.registers_per_multiprocessor);
  t.shared_per_sm[row] = number(record.shared_per_multiprocessor);
  t.warp_size[row] = number(record.warp_size);
}

void NameThreads(const std::vector<wire::ThreadRecord>& records,
                 const std::vector<const RowPart*>& parts, RowPart& rows) {
  HashSet<int64_t> used;
  for (const RowPart* part : parts) {
    const size_t threads = RowCount(part->part().tables.threads);
    for (size_t i = 0; i < threads; ++i) used.insert(part->TidOf(MakeId<ThreadId>(i)));
  }
  for (const wire::ThreadRecord& record : records) {
    if (!used.contains(record.thread)) continue;
    const ThreadId thread = rows.Thread(record.thread);
    rows.tables().threads.name[Index(thread)] = rows.Text(record.name);
  }
}

Recording AddFacts(const std::vector<wire::FactRecord>& records, uint64_t run, RowPart& rows,
                   TraceBuilder& builder) {
  TracePart& part = rows.part();
  absl::btree_map<std::string_view, std::string_view> facts;
  for (const wire::FactRecord& record : records) {
    const std::string_view key = part.strings.View(rows.Text(record.key));
    if (!key.empty()) facts[key] = part.strings.View(rows.Text(record.value));
  }
  const auto fact = [&](std::string_view key) {
    const auto at = facts.find(key);
    return at == facts.end() ? std::string_view() : at->second;
  };
  const bool counters = fact("mode") == "counters";
  MetadataTable& t = part.tables.metadata;
  for (const auto& [key, value] : facts) {
    // The files of the timeline contain the other facts.
    if (counters && !key.starts_with("counter")) continue;
    t.source.push_back(part.source());
    t.key.push_back(part.Intern(MetadataKey(key)));
    t.value.push_back(part.Intern(JsonString(value)));
  }
  if (run != 0) builder.SetRun(part.source(), run, fact("host"));
  if (const int64_t rank = Integer(fact("rank")); rank >= 0) {
    const int64_t ranks = Integer(fact("world_size"));
    builder.SetRank(part.source(), rank, ranks > 0 ? ranks : kMissing, fact("backend"));
  }
  if (counters) return Recording::kCounters;
  part.tables.processes.name[Index(rows.Process())] = part.Intern(ProgramOf(fact("command")));
  return Recording::kTimeline;
}

void SetClock(std::vector<wire::AnchorRecord> records, RowPart& rows, TraceBuilder& builder) {
  std::erase_if(records, [&](const wire::AnchorRecord& record) {
    const bool sane =
        record.time > 0 && record.unix_time > record.time && record.unix_time < kLatestBase;
    if (!sane) rows.Log("bad_time", "an invalid pair of clock times; it was left out");
    return !sane;
  });
  if (records.empty()) return;
  // Use the median: an anchor is wrong if its thread was interrupted between reading the two
  // clocks.
  std::vector<TimeNs> bases;
  bases.reserve(records.size());
  for (const wire::AnchorRecord& record : records) {
    bases.push_back(record.unix_time - record.time);
  }
  builder.SetUnixBase(rows.part().source(), UpperMedian(bases));
}

void LogGaps(const std::vector<wire::GapRecord>& records, Recording recording,
             const Covered& covered, RowPart& rows) {
  const auto since_start = [&](TimeNs time) {
    // Damaged times may be anywhere: halved, so that their difference does not overflow.
    return Seconds(time / 2 - std::max<TimeNs>(covered.start, 0) / 2) * 2;
  };
  for (const wire::GapRecord& record : records) {
    const std::string_view reason = rows.part().strings.View(rows.Text(record.reason));
    if (recording == Recording::kCounters) {
      rows.part().Log("counters", kMissing,
                      reason.empty() ? "hardware counters were not read" : reason);
      continue;
    }
    const std::string lost = record.lost < 0    ? "an unknown number of records"
                             : record.lost == 1 ? "1 record"
                                                : fmt::format("{} records", record.lost);
    const std::string thread =
        record.thread == 0 ? "" : fmt::format(" of thread {}", record.thread);
    const std::string until =
        record.end == 0 ? "" : fmt::format(" to {:.3f} s", since_start(record.end));
    rows.part().Log("gap", kMissing,
                    fmt::format("{}{} not kept from {:.3f} s{} after the recording's start{}{}{}",
                                lost, thread, since_start(record.start), until,
                                record.end == 0 ? " on" : "", reason.empty() ? "" : ": ", reason));
  }
}

void LogDamage(const FrameList& list, Recording recording, const Covered& covered, RowPart& rows) {
  TracePart& part = rows.part();
  if (list.missing > 0) {
    part.Log(
        "missing_frames", kMissing,
        fmt::format("{} frames in the middle are missing, with the records in them", list.missing));
  }
  if (list.passed_over > 0) {
    part.Log("damaged_frames", kMissing,
             fmt::format("{} bytes are not part of a complete frame and were skipped",
                         list.passed_over));
  }
  if (list.ended) return;
  if (recording == Recording::kCounters) {
    part.Log("counters", kMissing,
             "the recording of hardware counters has no end: the program was killed or is still "
             "running");
    return;
  }
  part.Log(
      "truncated", kMissing,
      covered.start == kMissing
          ? "the recording has no end and no records: the program was killed or is still running"
          : fmt::format("the recording has no end: the program was killed or is still running. The "
                        "last record is {:.3f} s after the start; about the last second before it "
                        "may be incomplete",
                        Seconds(covered.end - covered.start)));
}

}  // namespace warpsight::importers::capture
