#include "exporters/api/output_folder.h"

#include <filesystem>
#include <vector>

#include "exporters/api/output_file.h"

namespace warpsight {
namespace fs = std::filesystem;

Result<OutputFolder> OutputFolder::Create(const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error)) {
    return CannotWrite(path, "it is a file, not a folder");
  }
  const std::string unfinished = UnfinishedName(path);
  fs::remove_all(unfinished, error);
  fs::create_directories(unfinished, error);
  if (error) return CannotWrite(path, error.message());
  return OutputFolder(path, unfinished);
}

OutputFolder::~OutputFolder() {
  if (unfinished_.empty()) return;
  std::error_code ignored;
  fs::remove_all(unfinished_, ignored);
}

Result<std::string> OutputFolder::Place(const std::string& name) {
  const fs::path place = fs::path(unfinished_) / name;
  std::error_code error;
  fs::create_directories(place.parent_path(), error);
  if (error) return CannotWrite((fs::path(path_) / name).string(), error.message());
  return place.string();
}

Result<OutputFolder::Content> OutputFolder::Commit() {
  Content content;
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(unfinished_, error)) {
    if (!entry.is_regular_file(error)) continue;
    files.push_back(entry.path());
    content.bytes += static_cast<int64_t>(entry.file_size(error));
  }
  content.files = files.size();
  if (!error && !fs::exists(path_, error)) {
    error.clear();
    fs::rename(unfinished_, path_, error);
    if (error) return CannotWrite(path_, error.message());
    unfinished_.clear();
    return content;
  }
  for (const fs::path& file : files) {
    const fs::path place = fs::path(path_) / file.lexically_relative(unfinished_);
    if (!error) fs::create_directories(place.parent_path(), error);
    if (!error) fs::rename(file, place, error);
    if (error) return CannotWrite(place.string(), error.message());
  }
  return content;
}

}  // namespace warpsight
