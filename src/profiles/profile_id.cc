#include "profiles/profile_id.h"

#include <filesystem>
#include <string_view>

namespace warpsight {

std::string FileNameOf(const std::string& path) {
  std::filesystem::path file(path);
  if (file.filename().empty()) file = file.parent_path();
  return file.filename().string();
}

std::string ProfileIdOf(const std::string& path) {
  std::string name = FileNameOf(path);
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
  // URLs of the form "." and ".." are taken apart by browsers.
  if (name.find_first_not_of('.') == name.npos) name = "profile";
  return name;
}

}  // namespace warpsight
