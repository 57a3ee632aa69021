#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/result.h"
#include "store/database.h"

namespace warpsight::store {

// A profile file opened for reading, of a schema version that this program knows: this one or an
// earlier one.
struct OpenedProfile {
  Database database;
  int schema_version;
  absl::flat_hash_map<std::string, std::string> meta;  // the table `warpsight`
};

// Opens `path` read-only with no way from SQL to other files or to DuckDB's extensions. `options`
// come on top. With a `descriptor` the file is the one that is open there, and `path` only names
// it. The error is one line that names the file and says whether it is missing, not readable,
// damaged, of a newer program, or not a profile.
//
// SQL then sees what the file defines, its views and macros among them: this is for queries of
// users. Code of the program that reads a profile attaches it.
Result<OpenedProfile> OpenProfile(const std::string& path,
                                  const std::vector<Database::Option>& options = {},
                                  int descriptor = -1);

// Like OpenProfile, but the file is the catalog kAttachedCatalog beside an empty database. Names
// that do not say that catalog are DuckDB's own whatever the file defines: a macro called count or
// duckdb_tables would take their place in a database that is opened itself.
Result<OpenedProfile> AttachProfile(const std::string& path,
                                    const std::vector<Database::Option>& options = {},
                                    int descriptor = -1);

inline constexpr const char* kAttachedCatalog = "profile";

// "run.warpsight is damaged: <reason>", for errors that DuckDB finds while reading.
Error DamagedError(const std::string& path, const Error& error);

}  // namespace warpsight::store
