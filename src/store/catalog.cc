#include "store/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "store/earlier_schemas.h"
#include "store/open_profile.h"

namespace warpsight::store {
namespace {

// The place of a string in the pool and in its hash table.
constexpr uint64_t kBytesPerString = 32;

bool HasValue(const Chunk& chunk, size_t column, size_t row) {
  const uint64_t* validity = chunk.validity(column);
  return validity == nullptr || (validity[row / 64] >> (row % 64) & 1) != 0;
}

std::string Text(const Chunk& chunk, size_t column, size_t row) {
  return PlainText(DUCKDB_TYPE_VARCHAR, chunk.data(column), row);
}

}  // namespace

bool CatalogTable::IsPlain(std::string_view column, std::string_view type) const {
  const auto it = columns.find(column);
  return it != columns.end() && it->second.type == type && !it->second.computed;
}

Result<Catalog> Catalog::Read(Connection& connection) {
  Catalog catalog;
  auto tables =
      connection.Query(fmt::format("SELECT table_name, estimated_size::BIGINT FROM duckdb_tables() "
                                   "WHERE database_name = '{}' AND schema_name = 'main'",
                                   kAttachedCatalog));
  if (!tables.ok()) return tables.error();
  Status status = tables->ForEachChunk([&](const Chunk& chunk) -> Status {
    for (size_t row = 0; row < chunk.rows(); ++row) {
      CatalogTable& table = catalog.tables_[Text(chunk, 0, row)];
      table.rows = HasValue(chunk, 1, row) ? static_cast<const int64_t*>(chunk.data(1))[row] : 0;
    }
    return {};
  });
  if (!status.ok()) return status.error();
  auto columns = connection.Query(
      fmt::format("SELECT table_name, column_name, data_type, column_default IS NOT NULL "
                  "FROM duckdb_columns() WHERE database_name = '{}' AND schema_name = 'main'",
                  kAttachedCatalog));
  if (!columns.ok()) return columns.error();
  status = columns->ForEachChunk([&](const Chunk& chunk) -> Status {
    for (size_t row = 0; row < chunk.rows(); ++row) {
      const std::string name = Text(chunk, 0, row);
      const auto table = catalog.tables_.find(name);
      CatalogTable& of = table != catalog.tables_.end() ? table->second : catalog.views_[name];
      of.columns[Text(chunk, 1, row)] = {Text(chunk, 2, row),
                                         static_cast<const bool*>(chunk.data(3))[row]};
    }
    return {};
  });
  if (!status.ok()) return status.error();
  return catalog;
}

const CatalogTable* Catalog::Find(std::string_view name) const {
  const auto it = tables_.find(name);
  return it == tables_.end() ? nullptr : &it->second;
}

Status Catalog::CheckColumn(std::string_view table, std::string_view column,
                            std::string_view type) const {
  const CatalogTable* found = Find(table);
  if (found == nullptr) {
    return Error{fmt::format("{} is {}", table,
                             views_.contains(table) ? "a view and not a table" : "missing")};
  }
  if (found->IsPlain(column, type)) return {};
  const auto it = found->columns.find(column);
  if (it == found->columns.end()) return Error{fmt::format("{}.{} is missing", table, column)};
  if (it->second.type == type) return Error{fmt::format("{}.{} is computed", table, column)};
  return Error{fmt::format("{}.{} is of type {} and not {}", table, column, it->second.type, type)};
}

bool Catalog::Lacks(int schema_version, std::string_view table, std::string_view column) const {
  if (!MayLack(schema_version, table, column) || views_.contains(table)) return false;
  const CatalogTable* found = Find(table);
  return found == nullptr || !found->columns.contains(column);
}

Status Catalog::Check(const std::vector<StoredTable>& tables, int schema_version,
                      uint64_t file_bytes) const {
  for (const auto& [column, type] :
       {std::pair{"id", "UINTEGER"}, std::pair{"text", "VARCHAR"}, std::pair{"raw", "BLOB"}}) {
    if (Status status = CheckColumn("strings", column, type); !status.ok()) return status;
  }
  uint64_t allowed = MemoryAllowance(file_bytes);
  const auto take = [&](std::string_view table, uint64_t row_bytes) -> Status {
    const CatalogTable* found = Find(table);
    if (found == nullptr) return {};  // files of earlier schemas may lack it
    const auto rows = static_cast<uint64_t>(std::max<int64_t>(0, found->rows));
    // Ids have 32 bits, and one value stands for none.
    if (rows < UINT32_MAX && rows <= allowed / row_bytes) {
      allowed -= rows * row_bytes;
      return {};
    }
    return Error{fmt::format("{} claims to have {} rows, more than a file of {} bytes can contain",
                             table, rows, file_bytes)};
  };
  if (Status status = take("strings", kBytesPerString); !status.ok()) return status;
  for (const StoredTable& table : tables) {
    uint64_t row_bytes = 0;
    for (const StoredColumn& column : table.columns) {
      row_bytes += WidthOf(column.type);
      if (Lacks(schema_version, table.name, column.name)) continue;
      Status status = CheckColumn(table.name, column.name, SqlNameOf(column.type));
      if (!status.ok()) return status;
    }
    if (table.columns.empty()) continue;
    if (Status status = take(table.name, row_bytes); !status.ok()) return status;
  }
  return {};
}

uint64_t MemoryAllowance(uint64_t file_bytes) {
  constexpr uint64_t kFree = uint64_t{64} << 20;
  constexpr uint64_t kTimes = 64;
  return kFree + kTimes * file_bytes;
}

}  // namespace warpsight::store
