#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "base/result.h"
#include "store/database.h"

namespace warpsight::store {

// A profile file opened for reading, of a schema version that this program knows.
struct OpenedProfile {
  Database database;
  absl::flat_hash_map<std::string, std::string> meta;  // the table `warpsight`
};

// Opens `path` read-only with no way from SQL to other files or to DuckDB's extensions. `options`
// come on top. With a `descriptor` the file is the one that is open there, and `path` only names
// it. The error is one line that names the file and says whether it is missing, not readable,
// damaged, of a newer program, or no profile.
Result<OpenedProfile> OpenProfile(const std::string& path,
                                  const std::vector<Database::Option>& options = {},
                                  int descriptor = -1);

// "run.warpsight is damaged: <reason>", for errors that DuckDB finds while reading.
Error DamagedError(const std::string& path, const Error& error);

}  // namespace warpsight::store
