#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/hash_map.h"
#include "store/database.h"

namespace warpsight::store {

// A profile file opened for reading, of a schema version that this program supports: the current
// one or an earlier one.
struct OpenedProfile {
  Database database;
  int schema_version;
  HashMap<std::string, std::string> meta;  // the rows of the table `warpsight`
};

// Opens `path` read-only, as the catalog kAttachedCatalog beside an empty database, without access
// from SQL to other files or to DuckDB's extensions. Unqualified names always refer to DuckDB's own
// objects, whatever the file defines: in a database opened directly, a macro named count or
// duckdb_tables would replace them. `options` are applied in addition. With a `descriptor`, that
// open file is used, and `path` is only its name. The error is one line that names the file and
// says whether it is missing, unreadable, damaged, written by a newer version, or not a profile.
Result<OpenedProfile> AttachProfile(const std::string& path,
                                    const std::vector<Database::Option>& options = {},
                                    int descriptor = -1);

inline constexpr const char* kAttachedCatalog = "profile";

// "run.warpsight is damaged: <reason>", for errors that DuckDB finds while reading.
Error DamagedError(const std::string& path, const Error& error);

}  // namespace warpsight::store
