#include <fmt/format.h>

#include "model/trace.h"

namespace warpsight {
namespace {

// How many rows an id may point into.
class RowLimits {
 public:
  explicit RowLimits(const Trace& trace) : t_(trace.tables), strings_(trace.strings.size()) {}

  template <typename Id>
  size_t Of() const {
    if constexpr (std::is_same_v<Id, StringId>) return strings_;
    if constexpr (std::is_same_v<Id, SourceId>) return RowCount(t_.sources);
    if constexpr (std::is_same_v<Id, ProcessId>) return RowCount(t_.processes);
    if constexpr (std::is_same_v<Id, ThreadId>) return RowCount(t_.threads);
    if constexpr (std::is_same_v<Id, DeviceId>) return RowCount(t_.devices);
    if constexpr (std::is_same_v<Id, StreamId>) return RowCount(t_.streams);
    if constexpr (std::is_same_v<Id, SignatureId>) return RowCount(t_.signatures);
    if constexpr (std::is_same_v<Id, LaunchConfigId>) return RowCount(t_.launch_configs);
    if constexpr (std::is_same_v<Id, CollectiveId>) return RowCount(t_.collectives);
    if constexpr (std::is_same_v<Id, HostExtraId>) return RowCount(t_.host_extras);
    if constexpr (std::is_same_v<Id, GpuExtraId>) return RowCount(t_.gpu_extras);
    if constexpr (std::is_same_v<Id, HostKind>) return Index(HostKind::kSystemCall) + 1;
    if constexpr (std::is_same_v<Id, ApiKind>) return Index(ApiKind::kDriver) + 1;
    if constexpr (std::is_same_v<Id, GpuKind>) return Index(GpuKind::kMemset) + 1;
    if constexpr (std::is_same_v<Id, CopyDirection>) return Index(CopyDirection::kUnknown) + 1;
    if constexpr (std::is_same_v<Id, HostMemory>) return Index(HostMemory::kUnknown) + 1;
    if constexpr (std::is_same_v<Id, FlowPhase>) return Index(FlowPhase::kEnd) + 1;
  }

 private:
  const TraceTables& t_;
  size_t strings_;
};

// Ids and kinds that every row of its table must have.
template <typename Id>
constexpr bool kRequired =
    sizeof(Id) == 1 || std::is_same_v<Id, StringId> || std::is_same_v<Id, SourceId> ||
    std::is_same_v<Id, ProcessId> || std::is_same_v<Id, ThreadId> || std::is_same_v<Id, DeviceId> ||
    std::is_same_v<Id, StreamId>;

template <typename Table>
std::string CheckTimes(std::string_view name, const Table& table, TimeNs end) {
  if constexpr (requires { table.start; }) {
    for (size_t i = 0; i < table.start.size(); ++i) {
      if (table.start[i] < 0 || table.duration[i] < 0 || table.start[i] + table.duration[i] > end) {
        return fmt::format("{} row {}: time outside the trace", name, i);
      }
      if (i > 0 &&
          (table.start[i] < table.start[i - 1] ||
           (table.start[i] == table.start[i - 1] && table.duration[i] > table.duration[i - 1]))) {
        return fmt::format("{} row {}: not in timeline order", name, i);
      }
    }
  } else if constexpr (requires { table.time; }) {
    for (size_t i = 0; i < table.time.size(); ++i) {
      if (table.time[i] < 0 || table.time[i] > end) {
        return fmt::format("{} row {}: time outside the trace", name, i);
      }
      if (i > 0 && table.time[i] < table.time[i - 1]) {
        return fmt::format("{} row {}: not in timeline order", name, i);
      }
    }
  }
  return {};
}

}  // namespace

std::string CheckIntegrity(const Trace& trace) {
  std::string problem;
  const RowLimits limits(trace);
  TraceTables::Tables([&](std::string_view name, std::string_view, auto member) {
    const auto& table = trace.tables.*member;
    using Table = std::remove_cvref_t<decltype(table)>;
    const size_t rows = RowCount(table);
    Table::Columns([&](ColumnInfo info, auto column_member) {
      const auto& column = table.*column_member;
      using T = typename std::remove_cvref_t<decltype(column)>::value_type;
      if (!problem.empty()) return;
      if (column.size() != rows) {
        problem = fmt::format("{}.{}: {} rows where {} were expected", name, info.name,
                              column.size(), rows);
        return;
      }
      if constexpr (std::is_enum_v<T>) {
        for (size_t i = 0; i < column.size(); ++i) {
          if (!IsSet(column[i]) && (!kRequired<T> || info.optional)) continue;
          if (Index(column[i]) >= limits.Of<T>()) {
            problem = fmt::format("{}.{} row {}: id out of range", name, info.name, i);
            return;
          }
        }
      }
    });
    if (problem.empty()) problem = CheckTimes(name, table, trace.end);
  });
  return problem;
}

}  // namespace warpsight
