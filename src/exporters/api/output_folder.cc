#include "exporters/api/output_folder.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace warpsight {
namespace {

namespace fs = std::filesystem;

// The name of the folder in its private folder, whose mode (0700) it must not have.
constexpr const char* kName = "output";

std::string WithoutLastSlash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

Result<OutputFolder> OutputFolder::Create(const std::string& path, const OutputRules& rules,
                                          const OutputKind& kind) {
  OutputFolder folder(WithoutLastSlash(path), rules, kind);
  std::error_code error;
  const bool exists = fs::is_directory(folder.path_, error);
  if (!exists && fs::exists(fs::symlink_status(folder.path_, error))) {
    return CannotWrite(path, Error{"it is a file, not a folder"});
  }
  if (!exists) {
    if (const Status status = folder.MakeParents(); !status.ok()) return status.error();
  }
  // Inside the folder if it exists, since its parent may be on another file system or not be
  // writable.
  auto made = exists ? UnfinishedFolder::CreateIn(folder.path_)
                     : UnfinishedFolder::CreateBeside(folder.path_);
  if (!made.ok()) return CannotWrite(path, made.error());
  folder.private_.emplace(std::move(*made));
  folder.unfinished_ = folder.private_->Path(kName);
  fs::create_directory(folder.unfinished_, error);
  if (error) return CannotWrite(path, Error{error.message()});
  return folder;
}

OutputFolder::~OutputFolder() {
  private_.reset();
  std::error_code ignored;
  for (auto it = made_parents_.rbegin(); it != made_parents_.rend(); ++it) fs::remove(*it, ignored);
}

Status OutputFolder::MakeParents() {
  std::vector<fs::path> missing;
  std::error_code error;
  for (fs::path parent = fs::path(path_).parent_path();
       !parent.empty() && !fs::exists(parent, error); parent = parent.parent_path()) {
    missing.push_back(parent);
  }
  for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
    error.clear();
    if (fs::create_directory(*it, error)) made_parents_.push_back(it->string());
    if (error) return CannotWrite(path_, Error{error.message()});
  }
  return {};
}

Result<OutputFile> OutputFolder::CreateFile(const std::string& name) {
  const fs::path place = fs::path(unfinished_) / name;
  const std::string path = (fs::path(path_) / name).string();
  const std::error_code error = CreateFoldersIn(unfinished_, fs::path(name).parent_path());
  if (error) return CannotWrite(path, Error{error.message()});
  return OutputFile::CreatePart(place.string(), path);
}

Result<OutputFolder::Content> OutputFolder::Commit() {
  Content content;
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(unfinished_, error)) {
    if (!entry.is_regular_file(error)) continue;
    names.push_back(entry.path().lexically_relative(unfinished_).string());
    content.bytes += static_cast<int64_t>(entry.file_size(error));
  }
  if (error) return CannotWrite(path_, Error{error.message()});
  content.files = names.size();
  // If another program created the folder in the meantime, its files are kept.
  const int failure = private_->Move(kName, path_, UnfinishedFolder::Existing::kKeep);
  if (failure != 0 && failure != EEXIST) return CannotWrite(path_, Error{std::strerror(failure)});
  if (failure == EEXIST) {
    if (const Status status = MoveFiles(names); !status.ok()) return status.error();
  }
  made_parents_.clear();
  return content;
}

Status OutputFolder::MoveFiles(const std::vector<std::string>& names) {
  std::vector<OutputPlace> places;
  for (const std::string& name : names) {
    const std::string path = (fs::path(path_) / name).string();
    auto place = OutputPlace::Find(path, rules_, kind_);
    if (!place.ok()) return CannotWrite(path, place.error());
    if (place->is_stream()) return CannotWrite(path, Error{"it is not a regular file"});
    places.push_back(std::move(*place));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    std::error_code error;
    fs::create_directories(fs::path(places[i].target()).parent_path(), error);
    if (error) return CannotWrite(places[i].path(), Error{error.message()});
    const Status status = places[i].Fill(*private_, (fs::path(kName) / names[i]).string());
    if (!status.ok()) return CannotWrite(places[i].path(), status.error());
  }
  return {};
}

}  // namespace warpsight
