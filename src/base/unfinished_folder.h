#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "base/result.h"

namespace warpsight {

// A private folder (mode 0700) with a random name, in which files and folders are written before
// they are moved into place; it is removed with the object. It is created exclusively, so two
// writers never share one, even in containers with equal process ids. While it exists, its owner
// holds a lock on a file in it. The system releases the lock however the owner ends: creating a
// folder first removes those of this user next to it whose lock is free. TakeLeftoverMessages()
// says what could not be removed.
//
// Different threads may use different objects at the same time.
class UnfinishedFolder {
 public:
  // In the folder `parent`; "" is the current folder. The error is the system's reason alone.
  static Result<UnfinishedFolder> CreateIn(const std::string& parent);
  // In the folder that contains `path`.
  static Result<UnfinishedFolder> CreateBeside(const std::string& path);

  UnfinishedFolder(UnfinishedFolder&&) noexcept;
  UnfinishedFolder& operator=(UnfinishedFolder&&) = delete;
  ~UnfinishedFolder();

  const std::string& path() const;
  // The path of `name` in the folder.
  std::string Path(const std::string& name) const { return path() + "/" + name; }

  // How Move() treats what is at the target.
  enum class Existing { kReplace, kKeep };
  // Atomically moves the finished file or folder `name` into place on the same file system. Returns
  // 0 or errno: EEXIST if an existing file must be kept; ECANCELED after RemoveUnfinishedFiles().
  int Move(const std::string& name, const std::string& target, Existing existing);

 private:
  struct Entry;
  friend class UnfinishedFolders;
  explicit UnfinishedFolder(std::shared_ptr<Entry> entry);
  static Result<std::shared_ptr<Entry>> Make(const std::string& parent);

  std::shared_ptr<Entry> entry_;
};

// Creates the folders of the relative path `inner` in `folder`, but never `folder` itself: where
// RemoveUnfinishedFiles() has removed it, nothing may take its place.
std::error_code CreateFoldersIn(const std::string& folder, const std::filesystem::path& inner);

}  // namespace warpsight
