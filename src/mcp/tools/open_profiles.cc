#include "mcp/tools/open_profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "mcp/tools/quoted.h"
#include "profiles/open_profile.h"
#include "profiles/profile_id.h"
#include "store/profile_file.h"

namespace warpsight::mcp {
namespace {

// Messages name files and records of the trace, which are untrusted.
Error ReadableError(const Error& error) { return Error{ShortSentence(error.message), error.code}; }

}  // namespace

OpenedProfile::OpenedProfile(std::string id, std::string path, Profile profile,
                             std::optional<HeldFile> file, std::string notice)
    : id_(std::move(id)),
      path_(std::move(path)),
      notice_(std::move(notice)),
      saved_(file.has_value()),
      state_(FindState(path_)),
      profile_(std::move(profile)),
      range_(SummarizeRange(profile_)),
      advice_(LoadAdvice(profile_)),
      file_(std::move(file)) {
  // The tables of an earlier schema are not those that the answers' SQL is for.
  if (!notice_.empty()) file_.reset();
}

Result<const HeldFile*> OpenedProfile::FileForQueries(Progress& progress) {
  if (!file_) {
    auto file = SaveWithoutName(profile_, progress);
    if (!file.ok()) {
      return Error{
          fmt::format("SQL needs a temporary copy of this profile, which cannot be "
                      "written: {}",
                      file.error().message)};
    }
    file_.emplace(std::move(*file));
  }
  if (file_->WasModified()) {
    return Error{fmt::format("{} was modified after it was opened: close it and open it again",
                             Quoted(path_))};
  }
  return &*file_;
}

std::string OpenProfiles::NewId(const std::string& path) const {
  const std::string base = ShortName(ProfileIdOf(path));
  std::string id = base;
  const auto taken = [&] {
    return std::any_of(profiles_.begin(), profiles_.end(),
                       [&](const auto& opened) { return opened->id() == id; });
  };
  for (int n = 2; taken(); ++n) id = fmt::format("{}-{}", base, n);
  return id;
}

std::string OpenProfiles::Ids() const {
  std::string ids;
  for (const auto& opened : profiles_) {
    ids += ids.empty() ? "" : ", ";
    ids += opened->id();
  }
  return ids;
}

Result<OpenedProfile*> OpenProfiles::Open(const std::string& path, Progress& progress) {
  if (path.empty() || path == "-") {
    return Error{"path must name a file or a folder; standard input carries this protocol"};
  }
  for (const auto& opened : profiles_) {
    if (opened->path() == path && opened->IsCurrent()) return opened.get();
  }
  if (profiles_.size() >= kMost) {
    return Error{
        fmt::format("{} profiles are open, which is the limit: call close_profile for one "
                    "of {}",
                    kMost, Ids())};
  }
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return Error{
        fmt::format("there is no file or folder {}: give an absolute path, or one relative "
                    "to the folder in which warpsight mcp was started",
                    Quoted(path))};
  }
  if (LooksLikeProfile(path)) {
    auto held = OpenAndHold(path, progress);
    if (!held.ok()) return ReadableError(held.error());
    profiles_.push_back(std::make_unique<OpenedProfile>(NewId(path), path, std::move(held->profile),
                                                        std::move(held->file),
                                                        std::move(held->notice)));
  } else {
    auto profile = ImportProfile({path}, "", {}, progress);
    if (!profile.ok()) return ReadableError(profile.error());
    profiles_.push_back(
        std::make_unique<OpenedProfile>(NewId(path), path, std::move(*profile), std::nullopt, ""));
  }
  return profiles_.back().get();
}

Result<OpenedProfile*> OpenProfiles::Find(std::string_view id) {
  const auto it = std::find_if(profiles_.begin(), profiles_.end(),
                               [id](const auto& opened) { return opened->id() == id; });
  if (it != profiles_.end()) return it->get();
  if (profiles_.empty()) return Error{"no profile is open: call open_profile with a path first"};
  return Error{fmt::format("there is no open profile {}; open are: {}", Quoted(id), Ids())};
}

Status OpenProfiles::Close(std::string_view id) {
  const auto found = Find(id);
  if (!found.ok()) return found.error();
  std::erase_if(profiles_, [id](const auto& opened) { return opened->id() == id; });
  return {};
}

}  // namespace warpsight::mcp
