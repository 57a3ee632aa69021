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
#include "store/profile_file.h"

namespace warpsight::server {
namespace {

std::string FileName(const std::string& path) {
  std::filesystem::path file(path);
  if (file.filename().empty()) file = file.parent_path();  // a folder's name with a slash
  return file.filename().string();
}

// Converts "runs/gpt2 bf16.pt.trace.json.gz" to "gpt2_bf16".
std::string IdOf(const std::string& path) {
  std::string name = FileName(path);
  for (bool cut = true; cut;) {
    cut = false;
    for (const std::string_view ending :
         {".warpsight", ".json", ".gz", ".zst", ".trace", ".pt", ".pb", ".xplane", ".sqlite",
          ".sql", ".db", ".nvprof", ".nvvp", ".nsys-rep", ".qdrep", ".csv", ".wscap"}) {
      if (name.size() > ending.size() && name.ends_with(ending)) {
        name.resize(name.size() - ending.size());
        cut = true;
      }
    }
  }
  for (char& c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '.' || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  // Browsers interpret "." and ".." in URLs.
  if (name.find_first_not_of('.') == name.npos) name = "profile";
  return name;
}

// The profile as a file for SQL queries. Null if it cannot be written: then only SQL is missing.
std::shared_ptr<const HeldFile> SaveForSql(const Profile& profile, Progress& progress) {
  auto file = SaveWithoutName(profile, progress);
  return file.ok() ? std::make_shared<const HeldFile>(std::move(*file)) : nullptr;
}

}  // namespace

Profiles::Profiles(const std::vector<std::string>& paths, Import import, Inform inform,
                   Folders folders)
    : import_(std::move(import)), inform_(std::move(inform)), folders_(folders) {
  std::set<std::string> ids;
  for (const std::string& path : paths) {
    auto slot = std::make_unique<Slot>();
    const std::string base = IdOf(path);
    std::string id = base;
    for (int n = 2; !ids.insert(id).second; ++n) id = fmt::format("{}-{}", base, n);
    slot->state.id = id;
    slot->state.name = id;
    slot->path = path;
    slot->state.path = folders == Folders::kShown ? path : FileName(path);
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
    slot.state.error = opened.error().message;
    slot.state.state = ProfileState::State::kFailed;
  }
  loaded_.notify_all();
}

Result<std::shared_ptr<LoadedProfile>> Profiles::Open(Slot& slot) {
  const std::string& path = slot.path;
  if (LooksLikeProfile(path)) return OpenSaved(slot);
  std::error_code code;
  if (!std::filesystem::exists(path, code)) {
    return Error{fmt::format("{}: no such file", path), "missing"};
  }
  if (path.ends_with(".warpsight")) {
    return Error{fmt::format("{} is not a Warpsight profile: it is not a DuckDB database", path),
                 "not-a-profile"};
  }
  slot.progress.phase = "waiting";
  const std::lock_guard turn(importing_);
  slot.opened = FindState(path);
  auto profile = import_(path, slot.progress);
  if (!profile.ok()) return Error{profile.error().message, "import-failed"};
  if (folders_ == Folders::kHidden) DropSourceFolders(profile->trace);
  auto file = SaveForSql(*profile, slot.progress);
  return std::make_shared<LoadedProfile>(std::move(*profile), std::move(file));
}

// The tables and all SQL queries use the same open file, even if its name later refers to another
// one.
Result<std::shared_ptr<LoadedProfile>> Profiles::OpenSaved(Slot& slot) {
  slot.progress.Begin("opening", 0);
  auto opened = HeldFile::Open(slot.path);
  if (!opened.ok()) return opened.error();
  auto file = std::make_shared<const HeldFile>(std::move(*opened));
  slot.opened = file->state();
  LoadOptions options;
  options.descriptor = file->descriptor();
  auto saved = OpenSavedProfile(file->path(), {}, slot.progress, options);
  if (file->WasModified()) {
    return Error{fmt::format("{} changed while it was opened", file->path()), "changed"};
  }
  if (!saved.ok()) return saved.error();
  if (folders_ == Folders::kHidden) DropSourceFolders(saved->profile.trace);
  if (!saved->notice.empty()) {
    if (inform_) inform_(saved->notice);
    // The viewer's queries expect the current tables and views, which the file does not have.
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
