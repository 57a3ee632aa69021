#include "server/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "model/source_names.h"
#include "profiles/open_profile.h"
#include "profiles/profile_id.h"
#include "store/profile_file.h"

namespace warpsight::server {
namespace {

// The profile for queries. Null where it cannot be written: then there is no SQL, and everything
// else.
std::shared_ptr<const HeldFile> SaveForSql(const Profile& profile, Progress& progress) {
  auto file = SaveWithoutName(profile, progress);
  return file.ok() ? std::make_shared<const HeldFile>(std::move(*file)) : nullptr;
}

}  // namespace

Profiles::Profiles(const std::vector<std::string>& paths, Import import, Inform inform,
                   Folders folders, Rename rename)
    : import_(std::move(import)),
      inform_(std::move(inform)),
      rename_(std::move(rename)),
      folders_(folders) {
  std::set<std::string> ids;
  for (const std::string& path : paths) {
    auto slot = std::make_unique<Slot>();
    const std::string base = ProfileIdOf(path);
    std::string id = base;
    for (int n = 2; !ids.insert(id).second; ++n) id = fmt::format("{}-{}", base, n);
    slot->state.id = id;
    slot->state.name = id;
    slot->path = path;
    slot->state.path = folders == Folders::kShown ? Shown(path) : FileNameOf(path);
    slots_.push_back(std::move(slot));
  }
  for (const auto& slot : slots_) {
    slot->thread = std::thread([this, s = slot.get()] { Load(*s); });
  }
}

Profiles::~Profiles() {
  for (const auto& slot : slots_) slot->progress.cancel = true;
  for (const auto& slot : slots_) slot->thread.join();
}

void Profiles::Load(Slot& slot) {
  Result<std::shared_ptr<LoadedProfile>> opened = Error{"not opened"};
  try {
    opened = Open(slot);
  } catch (const std::exception& error) {
    opened = Error{fmt::format("{}: {}", slot.state.path, error.what()), "import-failed"};
  } catch (...) {
    opened = Error{fmt::format("{}: internal error", slot.state.path), "import-failed"};
  }
  const std::lock_guard lock(mutex_);
  if (opened.ok()) {
    slot.loaded = *opened;
    slot.state.name = slot.loaded->trace().profile_name;
    slot.state.state = ProfileState::State::kReady;
  } else {
    slot.state.code = opened.error().code.empty() ? "import-failed" : opened.error().code;
    slot.state.error = Shown(opened.error().message);
    slot.state.state = ProfileState::State::kFailed;
  }
  loaded_.notify_all();
}

Result<std::shared_ptr<LoadedProfile>> Profiles::Open(Slot& slot) {
  const std::string& path = slot.path;
  if (LooksLikeProfile(path)) return OpenSaved(slot);
  slot.progress.phase = "waiting";
  const std::lock_guard turn(importing_);
  // Not earlier: while others are imported, files come and go.
  std::error_code code;
  if (!std::filesystem::exists(path, code)) {
    return Error{fmt::format("{}: no such file", path), "missing"};
  }
  if (path.ends_with(".warpsight")) {
    return Error{fmt::format("{} is not a Warpsight profile: it is not a DuckDB database", path),
                 "not-a-profile"};
  }
  slot.opened = FindState(path);
  auto profile = import_(path, slot.progress);
  if (!profile.ok()) return Error{profile.error().message, "import-failed"};
  if (folders_ == Folders::kHidden) DropSourceFolders(profile->trace);
  auto file = SaveForSql(*profile, slot.progress);
  return std::make_shared<LoadedProfile>(std::move(*profile), std::move(file));
}

Result<std::shared_ptr<LoadedProfile>> Profiles::OpenSaved(Slot& slot) {
  auto saved = OpenAndHold(slot.path, slot.progress);
  if (!saved.ok()) return saved.error();
  auto file = std::make_shared<const HeldFile>(std::move(saved->file));
  slot.opened = file->state();
  if (folders_ == Folders::kHidden) DropSourceFolders(saved->profile.trace);
  if (!saved->notice.empty()) {
    if (inform_) inform_(Shown(saved->notice));
    // The file's own tables and views are not those that the viewer's queries expect.
    file = SaveForSql(saved->profile, slot.progress);
  }
  return std::make_shared<LoadedProfile>(std::move(saved->profile), std::move(file));
}

ProfileState Profiles::StateOf(const Slot& slot) const {
  ProfileState state = slot.state;
  if (state.state == ProfileState::State::kLoading) {
    state.phase = slot.progress.phase.load();
    state.done = slot.progress.done.load();
    state.total = slot.progress.total.load();
  }
  if (state.state == ProfileState::State::kReady) {
    state.changed = FindState(slot.path) != slot.opened;
  }
  return state;
}

std::vector<ProfileState> Profiles::List() const {
  const std::lock_guard lock(mutex_);
  std::vector<ProfileState> states;
  for (const auto& slot : slots_) states.push_back(StateOf(*slot));
  return states;
}

bool Profiles::Find(std::string_view id, ProfileState& state) const {
  const std::lock_guard lock(mutex_);
  for (const auto& slot : slots_) {
    if (slot->state.id != id) continue;
    state = StateOf(*slot);
    return true;
  }
  return false;
}

std::shared_ptr<LoadedProfile> Profiles::Get(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  for (const auto& slot : slots_) {
    if (slot->state.id == id) return slot->loaded;
  }
  return nullptr;
}

void Profiles::Wait() const {
  std::unique_lock lock(mutex_);
  loaded_.wait(lock, [this] {
    return std::none_of(slots_.begin(), slots_.end(), [](const auto& slot) {
      return slot->state.state == ProfileState::State::kLoading;
    });
  });
}

}  // namespace warpsight::server
