#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/facts.h"
#include "model/limits.h"
#include "model/number_rules.h"
#include "model/trace.h"

// Checks of single columns, for traces and facts.
namespace warpsight::integrity {

// Independent checks. Each returns a description of the problem, or "".
class Checks {
 public:
  void Add(std::function<std::string()> check) { checks_.push_back(std::move(check)); }
  // Runs all on all cores and returns the first problem in the order in which they were added.
  std::string Run() const;

 private:
  std::vector<std::function<std::string()>> checks_;
};

// The number of rows or enumerators that the values of a column may refer to.
class Limits {
 public:
  Limits(const Trace& trace, const FactTables* facts) : trace_(trace), facts_(facts) {}

  template <typename Id>
  size_t Of() const {
    const TraceTables& t = trace_.tables;
    if constexpr (std::is_same_v<Id, StringId>) return trace_.strings.size();
    if constexpr (std::is_same_v<Id, SourceId>) return RowCount(t.sources);
    if constexpr (std::is_same_v<Id, ProcessId>) return RowCount(t.processes);
    if constexpr (std::is_same_v<Id, ThreadId>) return RowCount(t.threads);
    if constexpr (std::is_same_v<Id, DeviceId>) return RowCount(t.devices);
    if constexpr (std::is_same_v<Id, StreamId>) return RowCount(t.streams);
    if constexpr (std::is_same_v<Id, SignatureId>) return RowCount(t.signatures);
    if constexpr (std::is_same_v<Id, LaunchConfigId>) return RowCount(t.launch_configs);
    if constexpr (std::is_same_v<Id, CollectiveId>) return RowCount(t.collectives);
    if constexpr (std::is_same_v<Id, HostExtraId>) return RowCount(t.host_extras);
    if constexpr (std::is_same_v<Id, GpuExtraId>) return RowCount(t.gpu_extras);
    if constexpr (std::is_same_v<Id, HostId>) return RowCount(t.host);
    if constexpr (std::is_same_v<Id, ApiId>) return RowCount(t.api);
    if constexpr (std::is_same_v<Id, GpuId>) return RowCount(t.gpu);
    if constexpr (std::is_same_v<Id, IterationId>) return RowCount(facts_->iterations);
    if constexpr (std::is_same_v<Id, FindingId>) return RowCount(facts_->findings);
    if constexpr (std::is_same_v<Id, HostKind>) return Index(HostKind::kSystemCall) + 1;
    if constexpr (std::is_same_v<Id, ApiKind>) return Index(ApiKind::kDriver) + 1;
    if constexpr (std::is_same_v<Id, GpuKind>) return Index(GpuKind::kMemset) + 1;
    if constexpr (std::is_same_v<Id, CopyDirection>) return Index(CopyDirection::kUnknown) + 1;
    if constexpr (std::is_same_v<Id, HostMemory>) return Index(HostMemory::kUnknown) + 1;
    if constexpr (std::is_same_v<Id, FlowPhase>) return Index(FlowPhase::kEnd) + 1;
    if constexpr (std::is_same_v<Id, NvtxStyle>) return Index(NvtxStyle::kStartEnd) + 1;
    if constexpr (std::is_same_v<Id, StepState>) return Index(StepState::kNeither) + 1;
    if constexpr (std::is_same_v<Id, Direction>) return Index(Direction::kDataLoading) + 1;
    if constexpr (std::is_same_v<Id, TensorCores>) return Index(TensorCores::kYes) + 1;
    if constexpr (std::is_same_v<Id, IterationSource>) {
      return Index(IterationSource::kRepeatedCalls) + 1;
    }
    if constexpr (std::is_same_v<Id, IdleCause>) return kIdleCauseCount;
    if constexpr (std::is_same_v<Id, LedgerEntry>) return kLedgerEntryCount;
    if constexpr (std::is_same_v<Id, PathPart>) return kPathPartCount;
    if constexpr (std::is_same_v<Id, Confidence>) return Index(Confidence::kHigh) + 1;
  }

 private:
  const Trace& trace_;
  const FactTables* facts_;  // null if only the trace is checked
};

// Ids and kinds that every row of its table must have, unless its column says otherwise.
template <typename Id>
constexpr bool kRequired =
    sizeof(Id) == 1 || std::is_same_v<Id, StringId> || std::is_same_v<Id, SourceId> ||
    std::is_same_v<Id, ProcessId> || std::is_same_v<Id, ThreadId> || std::is_same_v<Id, DeviceId> ||
    std::is_same_v<Id, StreamId> || std::is_same_v<Id, FindingId>;

std::string Missing(std::string_view table, std::string_view column, size_t row);
std::string OutOfRange(std::string_view table, std::string_view column, size_t row);

// The missing id is the largest number, so adding one makes it the smallest; the loop stays free of
// branches. The row is searched only if the loop finds a problem.
template <typename Id>
std::string CheckIds(std::string_view table, ColumnInfo info, const Column<Id>& values,
                     size_t limit) {
  using Number = std::underlying_type_t<Id>;
  const bool required = kRequired<Id> && !info.optional;
  const Number shift = required ? 0 : 1;
  Number largest = 0;
  for (const Id id : values) {
    largest = std::max(largest, static_cast<Number>(static_cast<Number>(id) + shift));
  }
  if (values.empty() || largest < limit + shift) return {};
  for (size_t row = 0;; ++row) {
    if (!IsSet(values[row])) {
      if (required) return Missing(table, info.name, row);
    } else if (Index(values[row]) >= limit) {
      return OutOfRange(table, info.name, row);
    }
  }
}

std::string CheckNumbers(const NumberRule& rule, const Column<int64_t>& values);
std::string CheckNumbers(const NumberRule& rule, const Column<double>& values);
// Checks only the sum.
std::string CheckTotal(const NumberRule& rule, const Column<int64_t>& values);

// Whether a value violates its rule, independent of other values.
bool IsAbsurd(const NumberRule& rule, int64_t value);
bool IsAbsurd(const NumberRule& rule, double value);

// Replaces numbers that their rule forbids, and missing ones that it requires. Returns how many.
int64_t ReplaceForbidden(const NumberRule& rule, Column<int64_t>& values);
int64_t ReplaceForbidden(const NumberRule& rule, Column<double>& values);

// Adds a check for each column of a table: its length, its ids and its numbers.
template <typename Table>
void AddColumnChecks(std::string_view name, const Table& table, size_t rows, const Limits& limits,
                     Checks& checks) {
  Table::Columns([&](ColumnInfo info, auto member) {
    const auto& column = table.*member;
    using T = typename std::remove_cvref_t<decltype(column)>::value_type;
    checks.Add([name, info, rows, &column, limits = &limits]() -> std::string {
      static_cast<void>(limits);  // columns of numbers do not use it
      if (column.size() != rows) {
        return fmt::format("{}.{} has {} rows where {} were expected", name, info.name,
                           column.size(), rows);
      }
      if constexpr (std::is_enum_v<T>) {
        return CheckIds<T>(name, info, column, limits->template Of<T>());
      } else {
        return CheckNumbers(NumberRuleOf(name, info.name), column);
      }
    });
  });
}

}  // namespace warpsight::integrity
