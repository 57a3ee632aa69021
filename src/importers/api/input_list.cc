#include "importers/api/input_list.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/file_id.h"
#include "importers/api/byte_source.h"

namespace warpsight {
namespace {

namespace fs = std::filesystem;

constexpr size_t kComparedStep = size_t{1} << 20;

std::string_view WithoutCompression(std::string_view path) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  }
  return path;
}

bool IsCompressed(std::string_view path) { return WithoutCompression(path) != path; }

std::string_view KindOf(fs::file_type type) {
  switch (type) {
    case fs::file_type::fifo:
      return "a pipe";
    case fs::file_type::socket:
      return "a socket";
    case fs::file_type::character:
    case fs::file_type::block:
      return "a device";
    case fs::file_type::not_found:
      return "a dangling link";
    default:
      return "not a file";
  }
}

Status AddFolder(const std::string& folder, InputList& list) {
  std::error_code error;
  std::vector<std::string> found;
  const size_t left_out = list.left_out.size();
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
  if (error) return Error{fmt::format("{}: cannot read the folder: {}", folder, error.message())};
  for (const auto end = fs::recursive_directory_iterator(); it != end; it.increment(error)) {
    if (error) break;
    const fs::file_type type = it->status(error).type();
    if (type == fs::file_type::regular) {
      found.push_back(it->path().string());
    } else if (type != fs::file_type::directory) {
      list.left_out.push_back(
          fmt::format("{}: {}, which is read only if it is specified explicitly",
                      it->path().string(), KindOf(type)));
    }
  }
  if (found.empty()) return Error{fmt::format("{}: the folder contains no files", folder)};
  std::sort(list.left_out.begin() + static_cast<ptrdiff_t>(left_out), list.left_out.end());
  std::sort(found.begin(), found.end());
  for (std::string& file : found) list.files.push_back({std::move(file), false});
  return {};
}

// Damaged files are never the same.
bool SameBytes(ByteSource& a, ByteSource& b) {
  std::vector<char> of_a(kComparedStep), of_b(kComparedStep);
  for (;;) {
    const auto n = a.Read(of_a.data(), of_a.size());
    const auto m = b.Read(of_b.data(), of_b.size());
    if (!n.ok() || !m.ok()) return false;
    if (*n != *m || std::memcmp(of_a.data(), of_b.data(), *n) != 0) return false;
    if (!a.damage().empty() || !b.damage().empty()) return false;
    if (*n < of_a.size()) return true;
  }
}

// The first uncompressed bytes of a file; empty if it cannot be read.
std::string HeadOf(const std::string& path, const Progress& progress) {
  constexpr size_t kHead = 16 * 1024;
  const auto bytes = OpenBytes(path, &progress);
  if (!bytes.ok()) return {};
  std::string head(kHead, '\0');
  const auto n = (*bytes)->Read(head.data(), head.size());
  head.resize(n.ok() ? *n : 0);
  return head;
}

// Whether two files have the same uncompressed content.
Result<bool> SameContent(const std::string& a, const std::string& b, const Progress& progress) {
  const auto first = OpenBytes(a, &progress);
  const auto second = OpenBytes(b, &progress);
  if (!first.ok() || !second.ok()) return false;
  const bool same = SameBytes(**first, **second);
  if (progress.cancelled()) return Error{"interrupted"};
  return same;
}

// Removes duplicates from the list. The first one is kept, but plain files are preferred to
// compressed ones, which take longer to read.
class Duplicates {
 public:
  Duplicates(InputList& list, const Progress& progress) : list_(list), progress_(progress) {
    for (const InputList::File& file : list.files) {
      Known& known = files_.emplace_back();
      known.regular = stat(file.path.c_str(), &known.info) == 0 && S_ISREG(known.info.st_mode);
    }
  }

  Status Run() {
    LeaveOutSameFiles();
    if (Status status = LeaveOutSameNames(); !status.ok()) return status;
    if (Status status = LeaveOutCopies(); !status.ok()) return status;
    LeaveOutConversions();
    Apply();
    return {};
  }

 private:
  struct Known {
    struct stat info {};
    bool regular = false;
    bool left_out = false;
  };

  const std::string& Path(size_t i) const { return list_.files[i].path; }

  void LeaveOut(size_t i, std::string_view why, size_t other) {
    files_[i].left_out = true;
    list_.left_out.push_back(fmt::format("{}: {} {}", Path(i), why, Path(other)));
  }

  // Files that are named twice, or under several names through links.
  void LeaveOutSameFiles() {
    std::map<FileId, size_t> seen;
    ForEachLeft([&](size_t i) {
      const auto [it, added] = seen.try_emplace(IdOf(files_[i].info), i);
      if (!added) LeaveOut(i, "the same file as", it->second);
    });
  }

  // "k.json" and "k.json.gz" in the same folder are one trace. If the user names both and their
  // content differs, both are read.
  Status LeaveOutSameNames() {
    std::map<std::string, std::vector<size_t>, std::less<>> groups;
    ForEachLeft([&](size_t i) { groups[std::string(WithoutCompression(Path(i)))].push_back(i); });
    for (auto& [name, group] : groups) {
      std::stable_sort(group.begin(), group.end(), [&](size_t a, size_t b) {
        return IsCompressed(Path(a)) < IsCompressed(Path(b));
      });
      for (size_t k = 1; k < group.size(); ++k) {
        const auto same = SameContent(Path(group[0]), Path(group[k]), progress_);
        if (!same.ok()) return same.error();
        if (*same) {
          LeaveOut(group[k], "the same trace as", group[0]);
        } else if (!list_.files[group[0]].named || !list_.files[group[k]].named) {
          LeaveOut(group[k],
                   "not read, although its content differs, because it has the same name as",
                   group[0]);
        }
      }
    }
    return {};
  }

  // Copies under other names: compares the content of files with the same size and the same first
  // bytes.
  Status LeaveOutCopies() {
    std::map<off_t, std::vector<size_t>> by_size;
    ForEachLeft([&](size_t i) { by_size[files_[i].info.st_size].push_back(i); });
    for (const auto& [size, group] : by_size) {
      if (size == 0 || group.size() < 2) continue;
      std::map<std::string, std::vector<size_t>> by_head;
      for (const size_t i : group) {
        std::vector<size_t>& alike = by_head[HeadOf(Path(i), progress_)];
        const auto twin = FindTwin(i, alike);
        if (!twin.ok()) return twin.error();
        if (*twin) {
          LeaveOut(i, "the same trace as", **twin);
        } else {
          alike.push_back(i);
        }
      }
    }
    return {};
  }

  Result<std::optional<size_t>> FindTwin(size_t file, const std::vector<size_t>& among) {
    for (const size_t other : among) {
      const auto same = SameContent(Path(other), Path(file), progress_);
      if (!same.ok()) return same.error();
      if (*same) return std::optional(other);
    }
    return std::optional<size_t>();
  }

  // JAX and TensorFlow write every profile twice into one folder. The XPlane file contains more
  // than the JSON that is generated from it.
  void LeaveOutConversions() {
    constexpr std::string_view kJson = ".trace.json", kFuller = ".xplane.pb";
    std::map<std::string, size_t, std::less<>> fuller;
    ForEachLeft([&](size_t i) {
      const std::string_view path = WithoutCompression(Path(i));
      if (path.ends_with(kFuller)) {
        fuller.emplace(path.substr(0, path.size() - kFuller.size()), i);
      }
    });
    ForEachLeft([&](size_t i) {
      const std::string_view path = WithoutCompression(Path(i));
      if (list_.files[i].named || !path.ends_with(kJson)) return;
      const auto twin = fuller.find(path.substr(0, path.size() - kJson.size()));
      if (twin != fuller.end()) LeaveOut(i, "the same profile as", twin->second);
    });
  }

  template <typename Visit>
  void ForEachLeft(Visit visit) {
    for (size_t i = 0; i < files_.size(); ++i) {
      if (files_[i].regular && !files_[i].left_out) visit(i);
    }
  }

  void Apply() {
    size_t kept = 0;
    for (size_t i = 0; i < files_.size(); ++i) {
      if (!files_[i].left_out) std::swap(list_.files[kept++], list_.files[i]);
    }
    list_.files.resize(kept);
  }

  InputList& list_;
  const Progress& progress_;
  std::vector<Known> files_;
};

}  // namespace

Result<InputList> ListInputs(const std::vector<std::string>& paths, const Progress& progress) {
  InputList list;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      list.files.push_back({path, true});
    } else if (Status status = AddFolder(path, list); !status.ok()) {
      return status.error();
    }
  }
  if (list.files.size() > 1) {
    if (Status status = Duplicates(list, progress).Run(); !status.ok()) return status.error();
  }
  return list;
}

}  // namespace warpsight
