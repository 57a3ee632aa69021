#include "cli/open_profile.h"

#include <fmt/format.h>

#include "analysis/facts/compute_facts.h"
#include "importers/api/importer.h"
#include "store/profile_file.h"

namespace warpsight {
namespace {

bool Asks(const IterationOptions& options) {
  return !options.key_op.empty() || options.first || options.last || options.batch_size != kMissing;
}

}  // namespace

Result<Profile> ImportProfile(const std::vector<std::string>& paths, const std::string& name,
                              const IterationOptions& iterations, Progress& progress) {
  auto trace = ImportTraces(paths, {name}, progress);
  if (!trace.ok()) return trace.error();
  auto facts = ComputeFacts(*trace, iterations, progress);
  if (!facts.ok()) return facts.error();
  return Profile{std::move(*trace), std::move(*facts)};
}

Result<Profile> OpenProfile(const std::vector<std::string>& paths,
                            const IterationOptions& iterations, Progress& progress) {
  if (!LooksLikeProfile(paths.front())) return ImportProfile(paths, "", iterations, progress);
  if (paths.size() > 1) {
    return Error{
        fmt::format("{}: a saved profile is opened alone, without other files", paths.front())};
  }
  auto profile = LoadProfile(paths.front());
  if (profile.ok() && Asks(iterations)) {
    const Status status = Reaggregate(profile->trace, iterations, profile->facts);
    if (!status.ok()) return status.error();
  }
  return profile;
}

}  // namespace warpsight
