#include "store/stored_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "base/large_memory.h"

namespace warpsight::store {
namespace {

template <typename Id>
constexpr std::string_view kTableOf = {};
template <>
constexpr std::string_view kTableOf<SourceId> = "sources";
template <>
constexpr std::string_view kTableOf<ProcessId> = "processes";
template <>
constexpr std::string_view kTableOf<ThreadId> = "threads";
template <>
constexpr std::string_view kTableOf<DeviceId> = "devices";
template <>
constexpr std::string_view kTableOf<StreamId> = "streams";
template <>
constexpr std::string_view kTableOf<SignatureId> = "signatures";
template <>
constexpr std::string_view kTableOf<LaunchConfigId> = "launch_configs";
template <>
constexpr std::string_view kTableOf<CollectiveId> = "collectives";
template <>
constexpr std::string_view kTableOf<HostExtraId> = "host_extras";
template <>
constexpr std::string_view kTableOf<GpuExtraId> = "gpu_extras";
template <>
constexpr std::string_view kTableOf<HostId> = "host_ranges";
template <>
constexpr std::string_view kTableOf<ApiId> = "api_calls";
template <>
constexpr std::string_view kTableOf<GpuId> = "gpu_activities";
template <>
constexpr std::string_view kTableOf<IterationId> = "iterations";
template <>
constexpr std::string_view kTableOf<FindingId> = "findings";

// Ids that every row must have: those that CheckIntegrity() requires, and the finding of evidence.
template <typename Id>
constexpr bool kRequired =
    std::is_same_v<Id, SourceId> || std::is_same_v<Id, ProcessId> || std::is_same_v<Id, ThreadId> ||
    std::is_same_v<Id, DeviceId> || std::is_same_v<Id, StreamId> || std::is_same_v<Id, FindingId>;

template <typename Kind>
constexpr size_t kKindsOf = 0;
template <>
constexpr size_t kKindsOf<HostKind> = Index(HostKind::kSystemCall) + 1;
template <>
constexpr size_t kKindsOf<ApiKind> = Index(ApiKind::kDriver) + 1;
template <>
constexpr size_t kKindsOf<GpuKind> = Index(GpuKind::kMemset) + 1;
template <>
constexpr size_t kKindsOf<CopyDirection> = Index(CopyDirection::kUnknown) + 1;
template <>
constexpr size_t kKindsOf<HostMemory> = Index(HostMemory::kUnknown) + 1;
template <>
constexpr size_t kKindsOf<FlowPhase> = Index(FlowPhase::kEnd) + 1;
template <>
constexpr size_t kKindsOf<NvtxStyle> = Index(NvtxStyle::kStartEnd) + 1;
template <>
constexpr size_t kKindsOf<StepState> = Index(StepState::kNeither) + 1;
template <>
constexpr size_t kKindsOf<Direction> = Index(Direction::kDataLoading) + 1;
template <>
constexpr size_t kKindsOf<TensorCores> = Index(TensorCores::kYes) + 1;
template <>
constexpr size_t kKindsOf<IterationSource> = Index(IterationSource::kRepeatedCalls) + 1;
template <>
constexpr size_t kKindsOf<IdleCause> = kIdleCauseCount;
template <>
constexpr size_t kKindsOf<LedgerEntry> = kLedgerEntryCount;
template <>
constexpr size_t kKindsOf<PathPart> = kPathPartCount;
template <>
constexpr size_t kKindsOf<Confidence> = Index(Confidence::kHigh) + 1;

template <typename T>
constexpr StoredType TypeOf() {
  if constexpr (std::is_same_v<T, int64_t>) return StoredType::kInteger;
  if constexpr (std::is_same_v<T, double>) return StoredType::kReal;
  if constexpr (std::is_same_v<T, StringId>) return StoredType::kText;
  if constexpr (std::is_enum_v<T>) {
    return sizeof(T) == 1 ? StoredType::kKind : StoredType::kRow;
  }
}

template <typename T>
size_t IndexOfTable(const std::vector<StoredTable>& tables) {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [](const StoredTable& t) { return t.name == kTableOf<T>; });
  return found == tables.end() ? kNoTable : static_cast<size_t>(found - tables.begin());
}

// A text column contains ids of strings, so its name gets the suffix _id.
std::string ColumnName(std::string_view name, StoredType type) {
  return std::string(name) + (type == StoredType::kText && !name.ends_with("_id") ? "_id" : "");
}

template <typename T>
Column<T>& Editable(Column<T>& values) {
  return values;
}
template <typename T>
Column<T>& Editable(SharedColumn<T>& values) {
  return values.Edit();
}

template <typename Values>
StoredColumn MakeColumn(const std::vector<StoredTable>& tables, ColumnInfo info, Values& values) {
  using T = typename Values::value_type;
  constexpr StoredType type = TypeOf<T>();
  static_assert(type != StoredType::kRow || !kTableOf<T>.empty(), "add the id to kTableOf");
  static_assert(type != StoredType::kKind || kKindsOf<T> != 0, "add the enum to kKindsOf");
  StoredColumn column;
  column.name = ColumnName(info.name, type);
  column.doc = info.doc;
  column.type = type;
  column.limit_table = kNoTable;
  column.kinds = 0;
  column.required = false;
  if constexpr (type == StoredType::kRow) {
    column.limit_table = IndexOfTable<T>(tables);
    column.required = kRequired<T> && !info.optional;
  }
  if constexpr (type == StoredType::kKind) column.kinds = kKindsOf<T>;
  column.vector = &values;
  column.data_of = [](const void* v) -> const void* {
    return static_cast<const Values*>(v)->data();
  };
  column.size_of = [](const void* v) { return static_cast<const Values*>(v)->size(); };
  column.resize = [](void* v, size_t rows) -> void* {
    Column<T>& vector = Editable(*static_cast<Values*>(v));
    vector.resize(rows);
    return vector.data();
  };
  column.reserve = [](void* v, size_t rows) {
    ReserveLarge(Editable(*static_cast<Values*>(v)), rows);
  };
  column.append = [](void* v, const void* added, size_t count) -> void* {
    Column<T>& vector = Editable(*static_cast<Values*>(v));
    const auto* begin = static_cast<const T*>(added);
    const size_t before = vector.size();
    vector.insert(vector.end(), begin, begin + count);
    return vector.data() + before;
  };
  return column;
}

// The table with this name. Fact tables add columns to a table of the trace that is already listed.
StoredTable& TableNamed(std::vector<StoredTable>& tables, std::string_view name) {
  return *std::find_if(tables.begin(), tables.end(),
                       [&](const StoredTable& table) { return table.name == name; });
}

template <typename Tables>
void AddNames(std::vector<StoredTable>& list) {
  Tables::Tables([&](std::string_view name, std::string_view doc, auto) {
    const bool known = std::any_of(list.begin(), list.end(),
                                   [&](const StoredTable& table) { return table.name == name; });
    if (!known) list.push_back({name, doc, {}, 0});
  });
}

template <typename Tables>
void AddColumns(std::vector<StoredTable>& list, Tables& tables) {
  Tables::Tables([&](std::string_view name, std::string_view, auto member) {
    auto& table = tables.*member;
    using Table = std::remove_cvref_t<decltype(table)>;
    StoredTable& stored = TableNamed(list, name);
    Table::Columns([&](ColumnInfo info, auto column) {
      stored.columns.push_back(MakeColumn(list, info, table.*column));
      stored.rows = std::max(stored.rows, (table.*column).size());
    });
  });
}

constexpr int64_t kMissingInteger = kMissing;
constexpr double kMissingNumber = kMissingReal;
constexpr uint32_t kMissingText = 0;
constexpr uint32_t kMissingRow = UINT32_MAX;
constexpr uint8_t kMissingKind = UINT8_MAX;

}  // namespace

size_t WidthOf(StoredType type) {
  switch (type) {
    case StoredType::kInteger:
    case StoredType::kReal:
      return 8;
    case StoredType::kText:
    case StoredType::kRow:
      return 4;
    case StoredType::kKind:
      return 1;
  }
  return 0;
}

std::string_view SqlNameOf(StoredType type) {
  switch (type) {
    case StoredType::kInteger:
      return "BIGINT";
    case StoredType::kReal:
      return "DOUBLE";
    case StoredType::kText:
    case StoredType::kRow:
      return "UINTEGER";
    case StoredType::kKind:
      return "UTINYINT";
  }
  return "";
}

const void* MissingValueOf(StoredType type) {
  switch (type) {
    case StoredType::kInteger:
      return &kMissingInteger;
    case StoredType::kReal:
      return &kMissingNumber;
    case StoredType::kText:
      return &kMissingText;
    case StoredType::kRow:
      return &kMissingRow;
    case StoredType::kKind:
      return &kMissingKind;
  }
  return nullptr;
}

std::string DocOf(const std::vector<StoredTable>& tables, const StoredColumn& column) {
  std::string doc(column.doc);
  if (column.type == StoredType::kText) doc += " (row in strings)";
  const bool names_table = doc.find("row in ") != std::string::npos;
  if (column.type == StoredType::kRow && !names_table) {
    doc += fmt::format(" (row in {})", tables[column.limit_table].name);
  }
  return doc;
}

std::vector<StoredTable> ListTables(Profile& profile) {
  std::vector<StoredTable> list;
  AddNames<TraceTables>(list);
  AddNames<FactTables>(list);
  AddColumns(list, profile.trace.tables);
  AddColumns(list, profile.facts);
  return list;
}

std::vector<StoredTable> ListTables(const Profile& profile) {
  return ListTables(const_cast<Profile&>(profile));
}

std::vector<StoredTable> ListTables(Trace& trace) {
  std::vector<StoredTable> list;
  AddNames<TraceTables>(list);
  AddColumns(list, trace.tables);
  return list;
}

}  // namespace warpsight::store
