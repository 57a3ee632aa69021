#include "model/integrity.h"

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "model/check_columns.h"

namespace warpsight {
namespace {

using integrity::Checks;

std::string InOrder(std::string_view table, size_t row) {
  return fmt::format("{} is not in timeline order at row {}", table, row);
}

// Checks the times of a table whose columns are valid by themselves.
template <typename Table>
std::string CheckTimeline(std::string_view name, const Table& table, TimeNs end) {
  if constexpr (requires { table.start, table.duration; }) {
    for (size_t i = 0; i < table.start.size(); ++i) {
      if (table.duration[i] > end - table.start[i]) {
        return fmt::format("{} ends after the trace in row {}", name, i);
      }
      if (i > 0 &&
          (table.start[i] < table.start[i - 1] ||
           (table.start[i] == table.start[i - 1] && table.duration[i] > table.duration[i - 1]))) {
        return InOrder(name, i);
      }
    }
  } else if constexpr (requires { table.time; }) {
    for (size_t i = 0; i < table.time.size(); ++i) {
      if (table.time[i] > end) return fmt::format("{} ends after the trace in row {}", name, i);
      if (i > 0 && table.time[i] < table.time[i - 1]) return InOrder(name, i);
    }
  }
  return {};
}

// The process that owns a stream belongs to the source of the stream.
std::string CheckStreams(const Trace& trace) {
  const StreamsTable& streams = trace.tables.streams;
  for (size_t s = 0; s < streams.process.size(); ++s) {
    if (IsSet(streams.process[s]) && trace.tables.processes.source[Index(streams.process[s])] !=
                                         trace.SourceOf(MakeId<StreamId>(s))) {
      return fmt::format("streams.process_id is a process of another source in row {}", s);
    }
  }
  return {};
}

std::string CheckClock(const Trace& trace) {
  const auto is_origin = [](int64_t value) {
    return value >= -kLargestOrigin && value <= kLargestOrigin;
  };
  if (!is_origin(trace.origin_ns)) return "origin_ns is out of range";
  if (trace.origin_unix_ns != kMissing && !is_origin(trace.origin_unix_ns)) {
    return "origin_unix_ns is out of range";
  }
  if (trace.end < 0 || trace.end > kLatestEnd) return "end_ns is out of range";
  return {};
}

}  // namespace

std::string CheckIntegrity(const Trace& trace) {
  const integrity::Limits limits(trace, nullptr);
  Checks columns, timeline;
  columns.Add([&] { return CheckClock(trace); });
  TraceTables::Tables([&](std::string_view name, std::string_view, auto member) {
    const auto& table = trace.tables.*member;
    integrity::AddColumnChecks(name, table, RowCount(table), limits, columns);
    timeline.Add([name, &table, &trace] { return CheckTimeline(name, table, trace.end); });
  });
  timeline.Add([&] { return CheckStreams(trace); });
  std::string problem = columns.Run();
  return problem.empty() ? timeline.Run() : problem;
}

std::string CheckTotals(const Trace& trace) {
  Checks checks;
  TraceTables::Tables([&](std::string_view name, std::string_view, auto member) {
    const auto& table = trace.tables.*member;
    std::remove_cvref_t<decltype(table)>::Columns([&](ColumnInfo info, auto column_member) {
      const auto& column = table.*column_member;
      using T = typename std::remove_cvref_t<decltype(column)>::value_type;
      if constexpr (std::is_same_v<T, int64_t>) {
        checks.Add([&column, rule = &NumberRuleOf(name, info.name)] {
          return integrity::CheckTotal(*rule, column);
        });
      }
    });
  });
  std::string problem = CheckClock(trace);
  return problem.empty() ? checks.Run() : problem;
}

}  // namespace warpsight
