#include "importers/nsys/host_tables.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "importers/api/call_name.h"
#include "importers/api/host_row.h"

namespace warpsight::importers::nsys {
namespace {

// Values of eventClass. With backtraces, every call has a second row of class 67 around it.
constexpr int64_t kRuntimeClass = 0;
constexpr int64_t kDriverClass = 1;

std::optional<ApiKind> KindOf(int64_t event_class, std::string_view name) {
  if (event_class == kRuntimeClass) return ApiKind::kRuntime;
  if (event_class == kDriverClass) return ApiKind::kDriver;
  if (event_class != kMissing) return std::nullopt;
  const bool driver = name.size() > 2 && name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z';
  return driver ? ApiKind::kDriver : ApiKind::kRuntime;
}

// A call's version and result as JSON. The version comes first, where ApiVersions looks for it.
class Arguments {
 public:
  // `version` is "_v3020" or empty.
  StringId Of(std::string_view version, int64_t result, TracePart& part) {
    if (version.empty() && result == 0) return StringId::kEmpty;
    const auto [it, added] = known_.try_emplace({version, result}, StringId::kEmpty);
    if (!added) return it->second;
    std::string json;
    if (!version.empty()) json = fmt::format("\"version\": {}", version.substr(2));
    if (result != 0) json += fmt::format("{}\"result\": {}", json.empty() ? "" : ", ", result);
    it->second = part.Intern(fmt::format("{{{}}}", json));
    return it->second;
  }

 private:
  HashMap<std::pair<std::string_view, int64_t>, StringId> known_;
};

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
  struct Function {
    StringId name;  // without the version
    std::string_view version;
  };
  HashMap<int64_t, Function> functions;  // by string id
  Arguments arguments;
  ApiCallsTable& t = part.tables().api;
  while (part.Next(*calls)) {
    const std::string_view name = part.SharedText(calls->Integer(kName));
    const auto kind = KindOf(calls->IntegerOr(kClass, kMissing), name);
    if (!kind) continue;
    const auto times = part.TimesAt(*calls, kStart, kEnd);
    if (!times) continue;
    const auto [it, added] = functions.try_emplace(calls->Integer(kName));
    if (added) {
      const std::string_view function = WithoutVersion(name);
      it->second = {part.part().Intern(function), name.substr(function.size())};
    }
    t.start.push_back(times->start);
    t.duration.push_back(times->duration);
    t.name.push_back(it->second.name);
    t.thread.push_back(part.Thread(calls->Integer(kTid)));
    t.kind.push_back(*kind);
    t.correlation.push_back(calls->IntegerOr(kCorrelation, kMissing));
    t.args.push_back(arguments.Of(it->second.version, calls->Integer(kReturn), part.part()));
  }
}

void ReadSystemCalls(const SqliteDatabase& database, std::string_view rows, TablePart& part) {
  ReadRanges(database, rows, HostKind::kSystemCall, part);
}

void ReadOverhead(const SqliteDatabase& database, std::string_view rows, TablePart& part) {
  ReadRanges(database, rows, HostKind::kOverhead, part);
}

}  // namespace warpsight::importers::nsys
