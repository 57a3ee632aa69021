#include "store/database_version.h"

#include <duckdb.h>

namespace warpsight {

std::string DatabaseVersion() {
  const std::string version = duckdb_library_version();  // "v1.4.4"
  return version.substr(version.find_first_not_of('v'));
}

}  // namespace warpsight
