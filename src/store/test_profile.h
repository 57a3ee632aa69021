#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/temporary_folder.h"
#include "model/clean_stretches.h"
#include "model/limits.h"
#include "model/number_rules.h"
#include "store/profile_file.h"
#include "store/stored_tables.h"

// Profiles and files for tests in this folder.
namespace warpsight::store {

using TestFolder = ::warpsight::testing::TemporaryFolder;

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Texts that are difficult to store in a database.
inline void AddTestStrings(StringPool& strings) {
  using std::string_literals::operator""s;
  for (const std::string& text :
       {"aten::mm"s, "aten::mm "s, "h\u00e4\u00df \u4f60\u597d \U0001F680"s, "a\0b"s, "\0"s,
        "invalid \xff\xfe"s, "invalid \xff\xff"s, "half \xe4\xbd"s, "surrogate \xed\xa0\x80"s,
        "\xef\xbf\xbd"s, "it's \"quoted\"\n\ttwice\\"s, std::string(300'000, 'x'), "NULL"s}) {
    strings.Intern(text);
  }
}

// A number for row `row` that its rule allows: the limits of its range, and missing if allowed.
inline int64_t TestNumber(const NumberRule& rule, size_t row) {
  const int64_t missing = rule.presence == Presence::kOptional ? kMissing : 3;
  const auto one_of = [&](int64_t a, int64_t b, int64_t c) {
    const int64_t values[] = {0, a, missing, b, c, 17};
    return values[row % 6];
  };
  switch (rule.quantity) {
    case Quantity::kIdentifier:
      return one_of(INT64_MAX, INT64_MIN + 1, -1);
    case Quantity::kNumber:
      return one_of(kLargestLaunch, -1, 1);
    case Quantity::kCount:
      return row == 1 ? kLargestCount : one_of(1, 12345678901, 2);
    case Quantity::kChange:
      return row == 1 ? -kLargestCount : one_of(-1, 12345678901, -12345678901);
    case Quantity::kTotal:
      return one_of(kLargestTotal, 1, 12345678901);
    case Quantity::kPart:
      return row == 1 ? kLargestTotal : one_of(1, 12345678901, 2);
    case Quantity::kTime:
    case Quantity::kDuration:
    case Quantity::kFlag:
    case Quantity::kReal:
      break;
  }
  return static_cast<int64_t>(row % 2);
}

// A value for row `row` of a column. Kinds, ids and texts cycle through all values; every third id
// is missing if allowed.
template <typename T>
T TestValue(std::string_view table, const StoredColumn& column, size_t row, size_t limit) {
  if constexpr (std::is_unsigned_v<T>) {
    const bool missing =
        column.type != StoredType::kKind && !column.required && (limit == 0 || row % 3 == 2);
    if (missing) return *static_cast<const T*>(MissingValueOf(column.type));
    return static_cast<T>(row % limit);
  } else if constexpr (std::is_same_v<T, double>) {
    const double values[] = {0.0, 1e15, kMissingReal, 2.5, 0.1, -0.0};
    return values[row % 6];
  } else {
    return TestNumber(NumberRuleOf(table, column.name), row);
  }
}

inline void FillTestColumn(std::string_view table, const StoredColumn& column, size_t rows,
                           size_t limit) {
  void* values = column.Resize(rows);
  const auto fill = [&]<typename T>(T* typed) {
    for (size_t row = 0; row < rows; ++row) typed[row] = TestValue<T>(table, column, row, limit);
  };
  switch (column.type) {
    case StoredType::kInteger:
      return fill(static_cast<int64_t*>(values));
    case StoredType::kReal:
      return fill(static_cast<double*>(values));
    case StoredType::kText:
    case StoredType::kRow:
      return fill(static_cast<uint32_t*>(values));
    case StoredType::kKind:
      return fill(static_cast<uint8_t*>(values));
  }
}

template <typename Table>
void FillTimes(Table& table) {
  if constexpr (requires { table.start, table.duration; }) {
    for (size_t i = 0; i < table.start.size(); ++i) {
      table.start[i] = static_cast<int64_t>(i) * 10;
      table.duration[i] = static_cast<int64_t>(i % 7);
    }
  } else if constexpr (requires { table.time; }) {
    for (size_t i = 0; i < table.time.size(); ++i) table.time[i] = static_cast<int64_t>(i) * 10;
  }
}

// Makes the facts consistent: row i of every table of lanes belongs to source i, which has the host
// ranges 2i and 2i + 1, the second inside the first, and row i of the other tables.
inline void RelateFacts(Profile& profile) {
  TraceTables& t = profile.trace.tables;
  FactTables& f = profile.facts;
  const size_t rows = RowCount(t.host);
  const auto host_of = [&](size_t source) {
    return 2 * source < rows ? MakeId<HostId>(2 * source) : kNone<HostId>;
  };
  for (size_t i = 0; i < rows; ++i) {
    const bool inner = i % 2 == 1;
    t.host.thread[i] = MakeId<ThreadId>(i / 2);
    f.host.parent.Edit()[i] = inner ? MakeId<HostId>(i - 1) : kNone<HostId>;
    f.host.forward.Edit()[i] = f.host.parent[i];
    f.host.op.Edit()[i] = inner && i % 3 == 0 ? MakeId<HostId>(i - 1) : MakeId<HostId>(i);
    f.host.iteration.Edit()[i] = i % 3 == 2 ? kNone<IterationId> : MakeId<IterationId>(i / 2);
    f.api.op.Edit()[i] = host_of(i);
    f.gpu.api.Edit()[i] = MakeId<ApiId>(i);
    f.gpu.op.Edit()[i] = i % 4 == 3 ? kNone<HostId> : host_of(i);
    f.gpu.iteration.Edit()[i] = f.api.iteration[i];
    f.module_paths.op.Edit()[i] = MakeId<HostId>(i);
    const auto now = static_cast<TimeNs>(i) * 10;
    f.iterations.number[i] = 0;
    f.iterations.start[i] = now;
    f.iterations.end[i] = now + static_cast<TimeNs>(i % 5);
    f.iterations.gpu_end[i] = now + 7;
    f.iterations.window_start[i] = now;
    f.iterations.window_end[i] = now + 7;
    f.iterations.reader[i] = f.iterations.copied_bytes[i] = static_cast<int64_t>(i);
    f.gpu_windows.iteration[i] = MakeId<IterationId>(i);
    f.gpu_windows.device[i] = MakeId<DeviceId>(i);
    f.gpu_windows.start[i] = now;
    f.gpu_windows.end[i] = now + 7;
    f.ledger.iteration[i] = MakeId<IterationId>(i);
    f.ledger.device[i] = f.ledger_totals.device[i] = MakeId<DeviceId>(i);
    f.ledger_totals.source[i] = MakeId<SourceId>(i);
    f.ledger.entry[i] = f.ledger_totals.entry[i] = static_cast<LedgerEntry>(i % 12);
    f.ledger.time[i] = f.ledger_totals.time[i] = 7;
    f.devices.first[i] = i % 4 == 3 ? kMissing : now;
    f.devices.last[i] = i % 4 == 3 ? kMissing : now + 7;
  }
  for (size_t i = 0; i < f.finding_evidence.start.size(); ++i) {
    FindingEvidenceTable& evidence = f.finding_evidence;
    const auto copy = [&](const auto& table, size_t row) {
      evidence.instance[i] = table.name[row];
      evidence.start[i] = table.start[row];
      evidence.duration[i] = table.duration[row];
    };
    if (IsSet(evidence.gpu[i])) {
      copy(t.gpu, Index(evidence.gpu[i]));
    } else if (IsSet(evidence.host[i])) {
      copy(t.host, Index(evidence.host[i]));
    } else {
      evidence.start[i] = evidence.duration[i] = kMissing;
    }
  }
  for (size_t k = 0; k < f.kernel_names.name.size(); ++k) {
    f.kernel_names.name[k] = MakeId<StringId>(k);
  }
  for (size_t i = 0; i < f.critical_path.part.size(); ++i) {
    f.critical_path.part[i] = static_cast<PathPart>(i);
  }
  if (rows == 0) return;
  f.aggregations.first[0] = f.aggregations.last[0] = 0;
}

// What the facts promise: the gaps of each GPU are the recorded times in which it did nothing.
inline GapsTable IdleTimes(const Trace& trace, const FactTables& facts) {
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  std::vector<std::vector<size_t>> work(RowCount(trace.tables.devices));
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    if (gpu.duration[g] > 0) work[Index(trace.DeviceOf(gpu.stream[g]))].push_back(g);
  }
  GapsTable gaps;
  const auto add = [&](size_t device, TimeNs start, TimeNs end, GpuId next) {
    if (start >= end) return;
    const size_t row = gaps.start.size();
    gaps.device.push_back(MakeId<DeviceId>(device));
    gaps.start.push_back(start);
    gaps.end.push_back(end);
    gaps.cause.push_back(static_cast<IdleCause>(row % kIdleCauseCount));
    gaps.next.push_back(next);
    gaps.op.push_back(IsSet(next) ? facts.gpu.op[Index(next)] : kNone<HostId>);
  };
  const std::vector<std::vector<Interval>> unrecorded = UnrecordedGpuTimes(trace, facts.gpu.api);
  for (size_t d = 0; d < work.size(); ++d) {
    TimeNs busy_until = 0;
    size_t part = 0;
    const auto idle = [&](TimeNs end, GpuId next) {
      VisitRecorded({busy_until, end}, unrecorded[d], part, [&](Interval times) {
        add(d, times.start, times.end, times.end == end ? next : kNone<GpuId>);
      });
    };
    for (const size_t g : work[d]) {
      idle(gpu.start[g], MakeId<GpuId>(g));
      busy_until = std::max(busy_until, gpu.start[g] + gpu.duration[g]);
    }
    if (!work[d].empty()) idle(trace.end, kNone<GpuId>);
  }
  return gaps;
}

inline size_t TestRows(std::string_view table, size_t rows, const Profile& profile) {
  if (table == "aggregations" || table == "advice") return std::min<size_t>(rows, 1);
  if (table == "critical_path") return std::min(rows, kPathPartCount);
  // Names must be unique.
  if (table == "kernel_names") return std::min(rows, profile.trace.strings.size());
  return rows;
}

// A profile with values in every column of every table except the given one, which stays empty.
// Needs at least two rows.
inline Profile MakeTestProfile(size_t rows = 7, std::string_view empty_table = "collectives") {
  Profile profile;
  AddTestStrings(profile.trace.strings);
  std::vector<StoredTable> tables = ListTables(profile);
  for (StoredTable& table : tables) {
    table.rows = table.name == empty_table ? 0 : TestRows(table.name, rows, profile);
  }
  for (const StoredTable& table : tables) {
    for (const StoredColumn& column : table.columns) {
      size_t limit = profile.trace.strings.size();
      if (column.type == StoredType::kKind) limit = column.kinds;
      if (column.type == StoredType::kRow) limit = tables[column.limit_table].rows;
      FillTestColumn(table.name, column, table.rows, limit);
    }
  }
  TraceTables::Tables([&](auto, auto, auto member) { FillTimes(profile.trace.tables.*member); });
  RelateFacts(profile);
  profile.trace.origin_ns = -kLargestOrigin;
  profile.trace.origin_unix_ns = 1'700'000'000'123'456'789;
  profile.trace.end = static_cast<int64_t>(rows) * 10 + 10;
  profile.facts.gaps = IdleTimes(profile.trace, profile.facts);
  profile.trace.profile_name = "r\u00fcn 'one'; --";
  IndexKernelNames(profile.facts, profile.trace.strings);
  return profile;
}

// The first difference as text, or "".
inline std::string Difference(const Profile& a, const Profile& b) {
  if (a.trace.strings.size() != b.trace.strings.size()) return "number of strings";
  for (size_t i = 0; i < a.trace.strings.size(); ++i) {
    const auto id = MakeId<StringId>(i);
    if (a.trace.Text(id) != b.trace.Text(id)) return "string " + std::to_string(i);
  }
  const std::vector<StoredTable> left = ListTables(a);
  const std::vector<StoredTable> right = ListTables(b);
  for (size_t t = 0; t < left.size(); ++t) {
    for (size_t c = 0; c < left[t].columns.size(); ++c) {
      const StoredColumn& x = left[t].columns[c];
      const StoredColumn& y = right[t].columns[c];
      std::string name = std::string(left[t].name) + "." + x.name;
      if (x.size() != y.size()) return "number of rows of " + name;
      if (x.size() != 0 && std::memcmp(x.data(), y.data(), x.size() * WidthOf(x.type)) != 0) {
        return name;
      }
    }
  }
  if (a.trace.origin_ns != b.trace.origin_ns) return "origin_ns";
  if (a.trace.origin_unix_ns != b.trace.origin_unix_ns) return "origin_unix_ns";
  if (a.trace.end != b.trace.end) return "end";
  if (a.trace.profile_name != b.trace.profile_name) return "profile_name";
  if (a.facts.kernel_row.values() != b.facts.kernel_row.values()) return "kernel_row";
  return "";
}

// Saves a profile; a failure fails the test.
inline void SaveOrFail(const Profile& profile, const std::string& path) {
  Progress progress;
  const Status status = SaveProfile(profile, path, progress);
  ASSERT_TRUE(status.ok()) << status.error().message;
}

}  // namespace warpsight::store
