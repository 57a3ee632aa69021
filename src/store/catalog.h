#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/database.h"
#include "store/stored_tables.h"

namespace warpsight::store {

// A table as the catalog of a profile file describes it.
struct CatalogTable {
  struct ColumnType {
    std::string type;
    bool computed = false;  // it has a default, or is computed from other columns when it is read
  };

  // Whether a column has this type and is not computed when it is read.
  bool IsPlain(std::string_view column, std::string_view type) const;

  int64_t rows = 0;  // an upper bound, since it includes deleted rows
  std::map<std::string, ColumnType, std::less<>> columns;
};

// The catalog of a file attached by AttachProfile(). Reading it does not execute anything defined
// in the file: views, macros, defaults and constraints are only listed.
class Catalog {
 public:
  static Result<Catalog> Read(Connection& connection);

  // The table with this name, or null; also null if the name is that of a view.
  const CatalogTable* Find(std::string_view name) const;

  // Whether the file lacks a column that files of its schema may lack. False if a view has the
  // table's name.
  bool Lacks(int schema_version, std::string_view table, std::string_view column) const;

  // Checks that the file contains everything that a profile of that schema with `tables` needs:
  // tables, not views, with columns of the right types, and not more rows than a valid file of
  // `file_bytes` can contain.
  Status Check(const std::vector<StoredTable>& tables, int schema_version,
               uint64_t file_bytes) const;

 private:
  Status CheckColumn(std::string_view table, std::string_view column, std::string_view type) const;

  std::map<std::string, CatalogTable, std::less<>> tables_;
  std::map<std::string, CatalogTable, std::less<>> views_;
};

// The memory limit for a profile of a file of that size. Empty rows take almost no space in a file,
// and 10^12 of them fit into megabytes. Real profiles stay far below this.
uint64_t MemoryAllowance(uint64_t file_bytes);

}  // namespace warpsight::store
