#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"

// A profile's tables without their C++ types, so that saving, loading and documentation are each
// implemented once. Derived from the Columns() lists of the model, so no column is listed here.
namespace warpsight::store {

inline constexpr int kSchemaVersion = 8;

enum class StoredType : uint8_t {
  kInteger,  // int64, BIGINT; NULL for kMissing
  kReal,     // double, DOUBLE; NULL for kMissingReal
  kText,     // StringId, UINTEGER: row in strings; NULL for ""
  kRow,      // row of another table, UINTEGER; NULL for kNone
  kKind,     // small enum, UTINYINT; NULL for kNone
};

size_t WidthOf(StoredType type);
std::string_view SqlNameOf(StoredType type);
// The value that NULL stands for.
const void* MissingValueOf(StoredType type);

struct StoredColumn {
  std::string name;
  std::string_view doc;
  StoredType type;
  size_t limit_table;  // for kRow: index in the list of the table to which it refers, or kNoTable
  size_t kinds;        // for kKind: the number of enumerators
  bool required;       // for kRow: it is never NULL

  const void* data() const { return data_of(vector); }
  size_t size() const { return size_of(vector); }
  // Resizes the column to `rows` values and returns a pointer to them.
  void* Resize(size_t rows) const { return resize(vector, rows); }
  // Reserves memory for `rows` values that will be appended.
  void Reserve(size_t rows) const { reserve(vector, rows); }
  // Appends values and returns a pointer to the copies.
  void* Append(const void* values, size_t count) const { return append(vector, values, count); }

  void* vector;  // the column of the model
  const void* (*data_of)(const void* vector);
  size_t (*size_of)(const void* vector);
  void* (*resize)(void* vector, size_t rows);
  void (*reserve)(void* vector, size_t rows);
  void* (*append)(void* vector, const void* values, size_t count);
};

inline constexpr size_t kNoTable = static_cast<size_t>(-1);

struct StoredTable {
  std::string_view name;
  std::string_view doc;
  std::vector<StoredColumn> columns;
  size_t rows = 0;
};

// What a column is, and which table or text it points to.
std::string DocOf(const std::vector<StoredTable>& tables, const StoredColumn& column);

// The tables of `profile` in the order in which they are stored. The list points into the profile.
std::vector<StoredTable> ListTables(Profile& profile);
// The same for reading; Resize() must not be called.
std::vector<StoredTable> ListTables(const Profile& profile);
// Only the tables of a trace, without the columns that facts add.
std::vector<StoredTable> ListTables(Trace& trace);

}  // namespace warpsight::store
