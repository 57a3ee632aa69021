#include "exporters/api/exporter.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpsight {

std::string FileNameOf(const Trace& trace) {
  std::string name = trace.profile_name;
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }, '_');
  while (name.starts_with('.') || name.starts_with('-')) name.erase(0, 1);
  return name.empty() ? "profile" : name;
}

std::string DefaultOutput(const Exporter& exporter, const Profile& profile) {
  std::string ending(exporter.ending);
  if (exporter.makes_folder(profile) && ending.starts_with('.')) {
    ending = "_" + std::string(exporter.name);
  }
  return FileNameOf(profile.trace) + ending;
}

OutputKind ExportedKind(std::string_view exporter, bool (*matches)(const std::string& path)) {
  return {fmt::format("a file that `warpsight export --to {}` wrote", exporter), matches};
}

}  // namespace warpsight
