#include "importers/api/library_versions.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <sqlite3.h>
#include <zstd.h>

namespace warpsight {

std::vector<std::pair<std::string, std::string>> LibraryVersions() {
  // SQLite and zstd say which version is loaded, simdjson which one was compiled with.
  return {{"SQLite", sqlite3_libversion()},
          {"simdjson", fmt::format("{}.{}.{}", static_cast<int>(simdjson::SIMDJSON_VERSION_MAJOR),
                                   static_cast<int>(simdjson::SIMDJSON_VERSION_MINOR),
                                   static_cast<int>(simdjson::SIMDJSON_VERSION_REVISION))},
          {"zstd", ZSTD_versionString()}};
}

}  // namespace warpsight
