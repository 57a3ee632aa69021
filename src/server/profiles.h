#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file_id.h"
#include "base/progress.h"
#include "base/result.h"
#include "model/profile.h"
#include "server/loaded_profile.h"

namespace warpsight::server {

// The state of one of the server's profiles.
struct ProfileState {
  enum class State : uint8_t { kLoading, kReady, kFailed };

  std::string id, name, path;
  State state = State::kLoading;
  std::string phase;
  int64_t done = 0, total = 0;
  std::string code, error;
  // Whether the path now refers to another file, or to none; the server still serves the opened
  // file.
  bool changed = false;
};

// Whether responses contain the folders of files; false for exports.
enum class Folders : uint8_t { kShown, kHidden };

// The profiles and traces of the server, each of which is opened in the background. A saved profile
// is read, and its file is kept open. A trace is imported; it and the upgraded form of an earlier
// profile are stored for SQL in an unlinked temporary file. Safe to use from many threads.
class Profiles {
 public:
  using Import = std::function<Result<Profile>(const std::string& path, Progress& progress)>;
  // Receives notices about files for the user, each one line. Called from any thread; may be empty.
  using Inform = std::function<void(std::string_view notice)>;

  // Puts what the user named in place of paths that only the program knows, in texts that are
  // shown. Called from any thread; may be empty.
  using Rename = std::function<std::string(std::string text)>;

  Profiles(const std::vector<std::string>& paths, Import import, Inform inform = {},
           Folders folders = Folders::kShown, Rename rename = {});
  Profiles(const Profiles&) = delete;
  Profiles& operator=(const Profiles&) = delete;
  // Stops imports that still run.
  ~Profiles();

  std::vector<ProfileState> List() const;
  // Returns whether there is a profile with that id, and its state.
  bool Find(std::string_view id, ProfileState& state) const;
  // Null unless the profile is ready.
  std::shared_ptr<LoadedProfile> Get(std::string_view id) const;
  // Waits until no profile is loading.
  void Wait() const;

 private:
  struct Slot {
    std::string path;  // the path to open
    ProfileState state;
    Progress progress;
    std::optional<FileState> opened;  // the file that was opened
    std::shared_ptr<LoadedProfile> loaded;
    std::thread thread;
  };

  void Load(Slot& slot);
  Result<std::shared_ptr<LoadedProfile>> Open(Slot& slot);
  Result<std::shared_ptr<LoadedProfile>> OpenSaved(Slot& slot);
  ProfileState StateOf(const Slot& slot) const;
  std::string Shown(const std::string& text) const { return rename_ ? rename_(text) : text; }

  Import import_;
  Inform inform_;
  Rename rename_;
  const Folders folders_;
  std::mutex importing_;      // one import at a time: each uses all cores and much memory
  mutable std::mutex mutex_;  // guards the states of the slots
  mutable std::condition_variable loaded_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace warpsight::server
