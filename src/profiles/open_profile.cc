#include "profiles/open_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "analysis/advice/advise_on.h"
#include "analysis/advice/stored_advice.h"
#include "analysis/compute_facts.h"
#include "base/unfinished_folder.h"
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

// Computes everything in a profile except its trace.
Result<Profile> Analyze(Trace trace, const IterationOptions& iterations, Progress& progress) {
  auto facts = ComputeFacts(trace, iterations, progress);
  if (!facts.ok()) return facts.error();
  Profile profile{std::move(trace), std::move(*facts)};
  if (const Status status = AddAdvice(profile, progress); !status.ok()) return status.error();
  return profile;
}

// A saved profile must be the only input, since only traces can be combined.
Status CheckAlone(const std::vector<std::string>& paths) {
  const auto saved = std::find_if(paths.begin(), paths.end(), LooksLikeProfile);
  if (saved == paths.end() || paths.size() == 1) return {};
  return Error{fmt::format("{}: a saved profile cannot be combined with other files", *saved)};
}

Result<Trace> ReadTrace(const std::vector<std::string>& paths, const std::string& name,
                        Progress& progress) {
  if (!LooksLikeProfile(paths.front())) return ImportTraces(paths, {name}, progress);
  progress.Begin("opening", 0);
  auto stored = LoadTrace(paths.front());
  if (!stored.ok()) return stored.error();
  if (!name.empty()) stored->trace.profile_name = name;
  return std::move(stored->trace);
}

std::string EarlierSchemaNotice(const std::string& path, int schema_version,
                                std::string_view consequence) {
  return fmt::format(
      "{} was written by an older version (schema {}): {}; to update it: warpsight import {} -o "
      "NEW.warpsight",
      path, schema_version, consequence, path);
}

}  // namespace

Result<Profile> ImportProfile(const std::vector<std::string>& paths, const std::string& name,
                              const IterationOptions& iterations, Progress& progress) {
  if (const Status status = CheckAlone(paths); !status.ok()) return status.error();
  auto trace = ReadTrace(paths, name, progress);
  if (!trace.ok()) return trace.error();
  return Analyze(std::move(*trace), iterations, progress);
}

Result<OpenedProfile> OpenSavedProfile(const std::string& path, const IterationOptions& iterations,
                                       Progress& progress, const LoadOptions& load) {
  const bool asks = Asks(iterations);
  LoadOptions options = load;
  if (asks) options.skip = LoadOptions().skip;
  auto profile = LoadProfile(path, options);
  if (profile.ok()) {
    if (asks) {
      Status status = Reaggregate(profile->trace, iterations, profile->facts);
      if (status.ok()) status = AddAdvice(*profile, progress);
      if (!status.ok()) return status.error();
    }
    return OpenedProfile{std::move(*profile), ""};
  }
  if (profile.error().code != kOlderSchema) return profile.error();
  auto stored = LoadTrace(path, load.descriptor);
  if (!stored.ok()) return stored.error();
  profile = Analyze(std::move(stored->trace), iterations, progress);
  if (!profile.ok()) return profile.error();
  return OpenedProfile{std::move(*profile),
                       EarlierSchemaNotice(path, stored->schema_version,
                                           "facts and advice were derived from its trace again")};
}

Result<HeldProfile> OpenAndHold(const std::string& path, Progress& progress) {
  progress.Begin("opening", 0);
  auto file = HeldFile::Open(path);
  if (!file.ok()) return file.error();
  LoadOptions options;
  options.descriptor = file->descriptor();
  auto saved = OpenSavedProfile(path, {}, progress, options);
  if (file->WasModified()) {
    return Error{fmt::format("{} changed while it was opened", path), "changed"};
  }
  if (!saved.ok()) return saved.error();
  return HeldProfile{std::move(saved->profile), std::move(*file), std::move(saved->notice)};
}

Result<OpenedProfile> OpenProfile(const std::vector<std::string>& paths,
                                  const IterationOptions& iterations, Progress& progress,
                                  const LoadOptions& load) {
  if (paths.size() == 1 && LooksLikeProfile(paths.front())) {
    return OpenSavedProfile(paths.front(), iterations, progress, load);
  }
  auto profile = ImportProfile(paths, "", iterations, progress);
  if (!profile.ok()) return profile.error();
  return OpenedProfile{std::move(*profile), ""};
}

Result<HeldFile> SaveWithoutName(const Profile& profile, Progress& progress) {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) return Error{fmt::format("no temporary folder: {}", error.message())};
  const auto folder = UnfinishedFolder::CreateIn(parent.string());
  if (!folder.ok()) {
    return Error{fmt::format("cannot write to {}: {}", parent.string(), folder.error().message)};
  }
  const std::string path = folder->Path("imported.warpsight");
  if (const Status status = SaveProfile(profile, path, progress); !status.ok()) {
    return status.error();
  }
  return HeldFile::Open(path);
}

std::string NoticeForQueries(const std::string& path, int schema_version) {
  return EarlierSchemaNotice(path, schema_version, "the query uses the tables of that version");
}

void ApplyPeaks(const std::optional<GpuPeaks>& peaks, Profile& profile) {
  if (!peaks) return;
  StoreAdvice(AdviseOn(profile, SummarizeRange(profile), peaks), profile.trace.strings,
              profile.facts);
}

}  // namespace warpsight
