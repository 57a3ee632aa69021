#include "base/unfinished_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/file_id.h"
#include "base/unfinished_files.h"

namespace warpsight {
namespace {

constexpr std::string_view kPrefix = ".warpsight-";
constexpr std::string_view kEnding = ".tmp";
constexpr size_t kRandomDigits = 32;
// A file in each unfinished folder, locked by its owner. It is created first and removed last, so
// that a folder with any content also contains it.
constexpr const char* kLock = "warpsight.lock";
// A random name may be taken, or the folder may be removed by another process before it is locked.
// Both are rare.
constexpr int kMaxAttempts = 100;

constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Empty if the system provides no random numbers; errno says why.
std::string RandomName() {
  uint64_t numbers[2] = {};
  ssize_t got = 0;
  do {
    got = getrandom(numbers, sizeof numbers, 0);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof numbers) return {};
  return fmt::format("{}{:016x}{:016x}{}", kPrefix, numbers[0], numbers[1], kEnding);
}

bool IsOurName(std::string_view name) {
  if (name.size() != kPrefix.size() + kRandomDigits + kEnding.size()) return false;
  if (!name.starts_with(kPrefix) || !name.ends_with(kEnding)) return false;
  name = name.substr(kPrefix.size(), kRandomDigits);
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

using Listing = std::unique_ptr<DIR, int (*)(DIR*)>;

// A listing of the folder from its beginning, independent of other listings.
Listing List(int folder) {
  Descriptor again(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* const listing = again.ok() ? fdopendir(again.get()) : nullptr;
  if (listing != nullptr) again.Release();
  return {listing, &closedir};
}

// The next name in the folder, or null at its end.
const char* NextName(DIR* listing) {
  for (;;) {
    const dirent* entry = readdir(listing);  // NOLINT(concurrency-mt-unsafe): one thread has it
    if (entry == nullptr) return nullptr;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return entry->d_name;
  }
}

bool Exists(int folder, const char* name, struct stat& status) {
  return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

// Removes everything in the folder except `spared`, without following links. Returns 0 or the first
// errno.
int RemoveContent(int folder, const char* spared) {
  int failure = 0;
  // Some file systems skip names while others are removed, so repeat until nothing is removed.
  for (bool again = true; again && failure == 0;) {
    again = false;
    const Listing listing = List(folder);
    if (listing == nullptr) return errno;
    while (const char* name = NextName(listing.get())) {
      if (spared != nullptr && std::strcmp(name, spared) == 0) continue;
      struct stat status {};
      if (!Exists(folder, name, status)) continue;
      const bool is_folder = S_ISDIR(status.st_mode);
      if (is_folder) {
        const Descriptor inner(openat(folder, name, kOpenFolder));
        const int inner_failure = inner.ok() ? RemoveContent(inner.get(), nullptr) : errno;
        if (failure == 0) failure = inner_failure;
      }
      if (unlinkat(folder, name, is_folder ? AT_REMOVEDIR : 0) == 0) {
        again = true;
      } else if (failure == 0 && errno != ENOENT) {
        failure = errno;
      }
    }
  }
  return failure;
}

// Removes the folder `name` in `parent`, which is open as `folder` and locked. Returns 0 or errno.
int RemoveLocked(int parent, const char* name, int folder) {
  if (const int failure = RemoveContent(folder, kLock); failure != 0) return failure;
  if (unlinkat(folder, kLock, 0) != 0 && errno != ENOENT) return errno;
  if (unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno != ENOENT) return errno;
  return 0;
}

enum class Sweep { kDone, kInUse, kFailed };

// Removes the folder `name` if it is one of ours and its owner has ended. Sets errno on failure.
Sweep SweepOne(int parent, const char* name) {
  struct stat status {};
  if (!Exists(parent, name, status)) return Sweep::kDone;
  if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid()) return Sweep::kInUse;
  const Descriptor folder(openat(parent, name, kOpenFolder));
  if (!folder.ok()) return errno == ENOENT ? Sweep::kDone : Sweep::kFailed;
  const Descriptor lock(openat(folder.get(), kLock, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!lock.ok() && errno == ENOENT) {
    // Its owner died, or has not created the lock yet and will then choose another name. If the
    // folder is not empty, it belongs to another program, and rmdir fails.
    unlinkat(parent, name, AT_REMOVEDIR);
    return Sweep::kDone;
  }
  if (!lock.ok()) return Sweep::kFailed;
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return errno == EWOULDBLOCK ? Sweep::kInUse : Sweep::kFailed;
  }
  if (fstat(lock.get(), &status) != 0 || !S_ISREG(status.st_mode)) return Sweep::kInUse;
  const int failure = RemoveLocked(parent, name, folder.get());
  errno = failure;
  return failure == 0 ? Sweep::kDone : Sweep::kFailed;
}

// Renames, but fails with EEXIST if the target exists.
int MoveToFreePlace(int folder, const char* name, const char* target) {
  if (renameat2(folder, name, AT_FDCWD, target, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // This file system has no RENAME_NOREPLACE. Creating a hard link is equally exclusive.
  struct stat status {};
  if (!Exists(folder, name, status)) return errno;
  if (S_ISREG(status.st_mode)) {
    if (linkat(folder, name, AT_FDCWD, target, 0) == 0) {
      unlinkat(folder, name, 0);
      return 0;
    }
    if (errno == EEXIST) return EEXIST;
  }
  if (Exists(AT_FDCWD, target, status)) return EEXIST;
  return renameat(folder, name, AT_FDCWD, target) == 0 ? 0 : errno;
}

}  // namespace

struct UnfinishedFolder::Entry {
  Descriptor parent, folder, lock;
  FileId id;
  std::string path;

  std::mutex mutex;  // guards name and removed
  std::string name;  // in `parent`
  bool removed = false;

  void Remove() {
    const std::lock_guard guard(mutex);
    if (std::exchange(removed, true)) return;
    struct stat status {};
    if (!Exists(parent.get(), name.c_str(), status) || !(IdOf(status) == id)) return;
    // Other threads do not know the new name, so they can no longer add files.
    if (const std::string other = RandomName();
        !other.empty() &&
        renameat2(parent.get(), name.c_str(), parent.get(), other.c_str(), RENAME_NOREPLACE) == 0) {
      name = other;
    }
    RemoveLocked(parent.get(), name.c_str(), folder.get());
  }
};

// All unfinished folders of this process. Never destroyed: threads may still write while the
// process exits.
class UnfinishedFolders {
 public:
  using Entry = UnfinishedFolder::Entry;

  static UnfinishedFolders& Get() {
    static UnfinishedFolders& all = *new UnfinishedFolders;
    return all;
  }

  // Calls make(), which creates a folder, and registers its entry. RemoveAll() waits for running
  // calls, so no folder escapes it.
  template <typename MakeEntry>
  Result<std::shared_ptr<Entry>> Add(MakeEntry make) {
    const std::shared_lock making(making_);
    if (ended_) return Error{std::strerror(ECANCELED)};
    Result<std::shared_ptr<Entry>> entry = make();
    if (!entry.ok()) return entry;
    const std::lock_guard guard(mutex_);
    entries_.insert(*entry);
    return entry;
  }

  void Remove(const std::shared_ptr<Entry>& entry) {
    entry->Remove();
    const std::lock_guard guard(mutex_);
    entries_.erase(entry);
  }

  // Calls move() unless RemoveAll() was called.
  template <typename MoveFile>
  int Move(MoveFile move) {
    const std::lock_guard guard(mutex_);
    return ended_ ? ECANCELED : move();
  }

  void RemoveAll() {
    std::set<std::shared_ptr<Entry>> entries;
    {
      const std::lock_guard no_one_makes(making_);
      const std::lock_guard guard(mutex_);
      ended_ = true;
      entries = entries_;
    }
    for (const auto& entry : entries) entry->Remove();
  }

  void Say(const std::string& path, const std::string& message) {
    const std::lock_guard guard(mutex_);
    if (said_.insert(path).second) messages_.push_back(message);
  }

  std::vector<std::string> TakeMessages() {
    const std::lock_guard guard(mutex_);
    return std::exchange(messages_, {});
  }

 private:
  std::shared_mutex making_;
  std::mutex mutex_;
  std::set<std::shared_ptr<Entry>> entries_;
  std::atomic<bool> ended_ = false;
  std::set<std::string> said_;
  std::vector<std::string> messages_;
};

namespace {

// Removes what killed processes left in the folder.
void SweepFolder(const std::string& path) {
  const Listing listing(opendir(path.empty() ? "." : path.c_str()), &closedir);
  if (listing == nullptr) return;  // a folder may be writable but not readable
  while (const char* name = NextName(listing.get())) {
    if (!IsOurName(name) || SweepOne(dirfd(listing.get()), name) != Sweep::kFailed) continue;
    const int failure = errno;
    const std::string full = (std::filesystem::path(path) / name).string();
    UnfinishedFolders::Get().Say(
        full, fmt::format("{}: left by a killed process, and cannot be removed: {}", full,
                          std::strerror(failure)));
  }
}

}  // namespace

Result<std::shared_ptr<UnfinishedFolder::Entry>> UnfinishedFolder::Make(const std::string& parent) {
  auto entry = std::make_shared<Entry>();
  entry->parent =
      Descriptor(open(parent.empty() ? "." : parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const int parent_folder = entry->parent.get();
  if (!entry->parent.ok()) return Error{std::strerror(errno)};
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    entry->name = RandomName();
    if (entry->name.empty()) return Error{std::strerror(errno)};
    if (mkdirat(parent_folder, entry->name.c_str(), 0700) != 0) {
      if (errno == EEXIST) continue;
      return Error{std::strerror(errno)};
    }
    // Until the lock is held, another process may consider this folder a leftover and remove it.
    entry->folder = Descriptor(openat(parent_folder, entry->name.c_str(), kOpenFolder));
    if (!entry->folder.ok() && errno == ENOENT) continue;
    entry->lock = Descriptor(openat(entry->folder.get(), kLock,
                                    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!entry->lock.ok() && errno == ENOENT) continue;
    struct stat status {};
    if (!entry->lock.ok() || fstat(entry->folder.get(), &status) != 0) {
      const Error error{std::strerror(errno)};
      unlinkat(parent_folder, entry->name.c_str(), AT_REMOVEDIR);
      return error;
    }
    entry->id = IdOf(status);
    // File systems without locks work too: their leftovers are reported instead of removed.
    if (flock(entry->lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) continue;
    if (fstat(entry->lock.get(), &status) == 0 && status.st_nlink == 0) continue;
    entry->path = (std::filesystem::path(parent) / entry->name).string();
    return entry;
  }
  return Error{"no free name for a temporary folder"};
}

Result<UnfinishedFolder> UnfinishedFolder::CreateIn(const std::string& parent) {
  SweepFolder(parent);
  auto entry = UnfinishedFolders::Get().Add([&] { return Make(parent); });
  if (!entry.ok()) return entry.error();
  return UnfinishedFolder(std::move(*entry));
}

Result<UnfinishedFolder> UnfinishedFolder::CreateBeside(const std::string& path) {
  return CreateIn(std::filesystem::path(path).parent_path().string());
}

UnfinishedFolder::UnfinishedFolder(std::shared_ptr<Entry> entry) : entry_(std::move(entry)) {}
UnfinishedFolder::UnfinishedFolder(UnfinishedFolder&&) noexcept = default;

UnfinishedFolder::~UnfinishedFolder() {
  if (entry_ != nullptr) UnfinishedFolders::Get().Remove(entry_);
}

const std::string& UnfinishedFolder::path() const { return entry_->path; }

int UnfinishedFolder::Move(const std::string& name, const std::string& target, Existing existing) {
  return UnfinishedFolders::Get().Move([&] {
    if (existing == Existing::kKeep) {
      return MoveToFreePlace(entry_->folder.get(), name.c_str(), target.c_str());
    }
    return renameat(entry_->folder.get(), name.c_str(), AT_FDCWD, target.c_str()) == 0 ? 0 : errno;
  });
}

std::error_code CreateFoldersIn(const std::string& folder, const std::filesystem::path& inner) {
  std::filesystem::path place = folder;
  std::error_code error;
  for (const std::filesystem::path& part : inner) {
    place /= part;
    std::filesystem::create_directory(place, error);
    if (error) return error;
  }
  return {};
}

void RemoveUnfinishedFiles() { UnfinishedFolders::Get().RemoveAll(); }

std::vector<std::string> TakeLeftoverMessages() { return UnfinishedFolders::Get().TakeMessages(); }

}  // namespace warpsight
