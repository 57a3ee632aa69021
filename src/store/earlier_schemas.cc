#include "store/earlier_schemas.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>

#include "model/check_columns.h"
#include "model/limits.h"
#include "model/number_rules.h"
#include "model/split_processes.h"

namespace warpsight::store {
namespace {

// A column that was added in the schema after `last_without`: files up to and including that schema
// may lack it. No column was ever renamed or removed, and no enumerator got another number.
struct AddedColumn {
  int last_without;
  std::string_view table;
  std::string_view column;  // empty: all columns of the table
};

constexpr AddedColumn kAdded[] = {
    {3, "streams", "process_id"},
    {3, "host_extras", "op_type_id"},
    {3, "gpu_extras", "op_name_id"},
    {3, "gpu_extras", "op_type_id"},
    {3, "gpu_extras", "op_path_id"},
    {4, "kernel_counters", ""},
    {5, "streams", "recorded_device"},
    {5, "gpu_extras", "bandwidth"},
    {5, "nvtx_ranges", ""},
    {7, "step_times", ""},
    {7, "clean_stretches", ""},
};

// Up to this schema, numbers were stored as they were in the input: a GPU without a number, a
// negative size.
constexpr int kLastWithoutNumberRules = 4;

// Up to this schema, a file with several ranks was a single source.
constexpr int kLastWithoutSplitProcesses = 6;

// Durations have had rules since the first schema, so a violation means damage.
bool IsReplaced(const NumberRule& rule) {
  return rule.quantity != Quantity::kIdentifier && rule.quantity != Quantity::kTime &&
         rule.quantity != Quantity::kDuration;
}

void LogReplaced(int64_t count, Trace& trace) {
  ImportLogTable& log = trace.tables.import_log;
  if (count == 0 || RowCount(trace.tables.sources) == 0) return;
  log.source.push_back(MakeId<SourceId>(0));
  log.code.push_back(trace.strings.Intern(kAbsurdNumber));
  log.message.push_back(trace.strings.Intern(kAbsurdNumberMessage));
  log.offset.push_back(kMissing);
  log.count.push_back(count);
}

}  // namespace

bool MayLack(int schema_version, std::string_view table, std::string_view column) {
  return std::any_of(std::begin(kAdded), std::end(kAdded), [&](const AddedColumn& added) {
    return schema_version <= added.last_without && added.table == table &&
           (added.column.empty() || added.column == column);
  });
}

void ReplaceNumbers(int schema_version, Trace& trace) {
  if (schema_version > kLastWithoutNumberRules) return;
  int64_t replaced = 0;
  TraceTables::Tables([&](std::string_view name, std::string_view, auto member) {
    auto& table = trace.tables.*member;
    std::remove_cvref_t<decltype(table)>::Columns([&](ColumnInfo info, auto column) {
      using T = typename std::remove_cvref_t<decltype(table.*column)>::value_type;
      if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, double>) {
        const NumberRule& rule = NumberRuleOf(name, info.name);
        if (IsReplaced(rule)) {
          replaced += integrity::ReplaceForbidden(rule, table.*column);
        }
      }
    });
  });
  LogReplaced(replaced, trace);
}

bool UpgradeTrace(int schema_version, Trace& trace) {
  if (schema_version > kLastWithoutSplitProcesses) return false;
  const size_t sources = RowCount(trace.tables.sources);
  SplitProcesses(trace.tables);
  return RowCount(trace.tables.sources) != sources;
}

}  // namespace warpsight::store
