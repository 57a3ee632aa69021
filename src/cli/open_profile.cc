#include "cli/open_profile.h"

#include <utility>

#include <fmt/format.h>

#include "analysis/advice/advise_on.h"
#include "analysis/advice/stored_advice.h"
#include "analysis/compute_facts.h"
#include "importers/api/importer.h"

namespace warpsight {
namespace {

bool Asks(const IterationOptions& options) {
  return !options.key_op.empty() || options.first || options.last || options.batch_size != kMissing;
}

Status AddAdvice(Profile& profile, Progress& progress) {
  progress.Begin("advising", 0);
  StoreAdvice(AdviseOn(profile, SummarizeRange(profile)), profile.trace.strings, profile.facts);
  if (progress.cancelled()) return Error{"interrupted"};
  return {};
}

}  // namespace

Result<Profile> ImportProfile(const std::vector<std::string>& paths, const std::string& name,
                              const IterationOptions& iterations, Progress& progress) {
  auto trace = ImportTraces(paths, {name}, progress);
  if (!trace.ok()) return trace.error();
  auto facts = ComputeFacts(*trace, iterations, progress);
  if (!facts.ok()) return facts.error();
  Profile profile{std::move(*trace), std::move(*facts)};
  if (const Status status = AddAdvice(profile, progress); !status.ok()) return status.error();
  return profile;
}

Result<Profile> OpenProfile(const std::vector<std::string>& paths,
                            const IterationOptions& iterations, Progress& progress,
                            const LoadOptions& load) {
  if (!LooksLikeProfile(paths.front())) return ImportProfile(paths, "", iterations, progress);
  if (paths.size() > 1) {
    return Error{
        fmt::format("{}: a saved profile cannot be combined with other files", paths.front())};
  }
  const bool asks = Asks(iterations);
  auto profile = LoadProfile(paths.front(), asks ? LoadOptions() : load);
  if (profile.ok() && asks) {
    Status status = Reaggregate(profile->trace, iterations, profile->facts);
    if (status.ok()) status = AddAdvice(*profile, progress);
    if (!status.ok()) return status.error();
  }
  return profile;
}

void ApplyPeaks(const std::optional<GpuPeaks>& peaks, Profile& profile) {
  if (!peaks) return;
  StoreAdvice(AdviseOn(profile, SummarizeRange(profile), peaks), profile.trace.strings,
              profile.facts);
}

}  // namespace warpsight
