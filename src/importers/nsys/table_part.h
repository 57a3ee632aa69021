#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "importers/api/sqlite_database.h"
#include "importers/nsys/device_numbers.h"
#include "importers/nsys/domain_kinds.h"
#include "importers/nsys/global_ids.h"
#include "importers/nsys/shared_strings.h"
#include "model/hash_map.h"
#include "model/trace_builder.h"

namespace warpsight::importers::nsys {

// Times beyond this are treated as damage.
inline constexpr int64_t kLatestTime = int64_t{1} << 61;

// Facts about an export that are needed to read its tables.
struct ExportFacts {
  SharedStrings strings;
  DeviceNumbers devices;
  DomainKinds domain_kinds;
};

// The rows made from some rows of one table. Used by one thread.
class TablePart {
 public:
  struct Times {
    TimeNs start;
    DurationNs duration;
  };

  TablePart(SourceId source, const ExportFacts& facts, std::string_view table)
      : part_(source), facts_(facts), strings_(facts.strings, part_), table_(table) {}
  TablePart(const TablePart&) = delete;
  TablePart& operator=(const TablePart&) = delete;

  TracePart& part() { return part_; }
  TraceTables& tables() { return part_.tables; }
  const std::string& table() const { return table_; }
  const ExportFacts& facts() const { return facts_; }
  int64_t rows() const { return rows_; }

  // Goes to the next row; false at the end, or if the table is damaged, which is logged.
  bool Next(SqliteRows& rows);
  // The times in columns `start` and `end`; nullopt if they are invalid, which is logged.
  std::optional<Times> TimesAt(const SqliteRows& rows, int start, int end);
  // The number in a column if it is within [0, high]; otherwise missing, which is logged.
  int64_t Within(const SqliteRows& rows, int column, int64_t high);

  StringId Text(int64_t string_id) { return strings_[string_id]; }
  std::string_view SharedText(int64_t string_id) const { return facts_.strings.Text(string_id); }
  ThreadId Thread(int64_t global_tid);
  // In Stream, `device` is the process's number of the GPU; in StreamOn, the machine's.
  StreamId Stream(int64_t global_pid, int64_t device, int64_t context, int64_t stream);
  StreamId StreamOn(int64_t device, int64_t global_pid, int64_t context, int64_t stream,
                    int64_t recorded_device = kMissing);
  void Log(std::string_view code, std::string_view message);

 private:
  ProcessId Process(int64_t global_pid);

  TracePart part_;
  const ExportFacts& facts_;
  PartStrings strings_;
  std::string table_;
  int64_t rows_ = 0;
  HashMap<int64_t, ThreadId> threads_;
  HashMap<int64_t, ProcessId> processes_;
};

}  // namespace warpsight::importers::nsys
