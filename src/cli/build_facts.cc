#include "cli/build_facts.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <utility>

#include "importers/api/library_versions.h"
#include "store/database_version.h"
#include "store/stored_tables.h"
#include "wire/cuda_versions.h"

namespace warpsight {

BuildFacts CollectBuildFacts(const BuildCommit& commit) {
  BuildFacts facts;
  facts.version = WARPSIGHT_VERSION;
  facts.commit = commit;
  facts.build_type = WARPSIGHT_BUILD_TYPE;
  facts.compiler = WARPSIGHT_COMPILER;
  facts.target = WARPSIGHT_TARGET;
  facts.glibc = gnu_get_libc_version();
  facts.built_with_glibc = fmt::format("{}.{}", __GLIBC__, __GLIBC_MINOR__);
  facts.libraries = {{"DuckDB", DatabaseVersion()}};
  for (auto& library : LibraryVersions()) facts.libraries.push_back(std::move(library));
  facts.libraries.emplace_back("fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000,
                                                  FMT_VERSION / 100 % 100, FMT_VERSION % 100));
  facts.schema = store::kSchemaVersion;
  facts.oldest_cuda = wire::kOldestCuda;
  facts.oldest_counters_cuda = wire::kOldestCountersCuda;
  return facts;
}

}  // namespace warpsight
