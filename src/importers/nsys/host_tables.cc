#include "importers/nsys/host_tables.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "importers/api/call_name.h"
#include "importers/api/host_row.h"

namespace warpsight::importers::nsys {
namespace {

// Values of eventClass. With backtraces every call has a second row, of class 67, around its own.
constexpr int64_t kRuntimeClass = 0;
constexpr int64_t kDriverClass = 1;

std::optional<ApiKind> KindOf(int64_t event_class, std::string_view name) {
  if (event_class == kRuntimeClass) return ApiKind::kRuntime;
  if (event_class == kDriverClass) return ApiKind::kDriver;
  if (event_class != kMissing) return std::nullopt;
  const bool driver = name.size() > 2 && name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z';
  return driver ? ApiKind::kDriver : ApiKind::kRuntime;
}

void ReadRanges(const SqliteDatabase& database, std::string_view rows, HostKind kind,
                TablePart& part) {
  enum { kStart, kEnd, kTid, kName };
  const auto ranges = database.Select(part.table(), {"start", "end", "globalTid", "nameId"}, rows);
  while (part.Next(*ranges)) {
    const auto times = part.TimesAt(*ranges, kStart, kEnd);
    if (!times) continue;
    Add(HostRow{times->start, times->duration, part.Text(ranges->Integer(kName)),
                part.Thread(ranges->Integer(kTid)), kind},
        part.part());
  }
}

}  // namespace

void ReadApiCalls(const SqliteDatabase& database, std::string_view rows, TablePart& part) {
  enum { kStart, kEnd, kClass, kTid, kCorrelation, kName, kReturn };
  const auto calls = database.Select(
      part.table(),
      {"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"}, rows);
  HashMap<int64_t, StringId> names;  // without their versions, by string id
  ApiCallsTable& t = part.tables().api;
  while (part.Next(*calls)) {
    const std::string_view name = part.SharedText(calls->Integer(kName));
    const auto kind = KindOf(calls->IntegerOr(kClass, kMissing), name);
    if (!kind) continue;
    const auto times = part.TimesAt(*calls, kStart, kEnd);
    if (!times) continue;
    const auto [it, added] = names.try_emplace(calls->Integer(kName), StringId::kEmpty);
    if (added) it->second = part.part().Intern(WithoutVersion(name));
    t.start.push_back(times->start);
    t.duration.push_back(times->duration);
    t.name.push_back(it->second);
    t.thread.push_back(part.Thread(calls->Integer(kTid)));
    t.kind.push_back(*kind);
    t.correlation.push_back(calls->IntegerOr(kCorrelation, kMissing));
    const int64_t result = calls->Integer(kReturn);
    t.args.push_back(result == 0 ? StringId::kEmpty
                                 : part.part().Intern(fmt::format("{{\"result\": {}}}", result)));
  }
}

void ReadSystemCalls(const SqliteDatabase& database, std::string_view rows, TablePart& part) {
  ReadRanges(database, rows, HostKind::kSystemCall, part);
}

void ReadOverhead(const SqliteDatabase& database, std::string_view rows, TablePart& part) {
  ReadRanges(database, rows, HostKind::kOverhead, part);
}

}  // namespace warpsight::importers::nsys
