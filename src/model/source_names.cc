#include "model/source_names.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsight {
namespace {

// The last `parts` parts of a path: "rank0/trace.json" for 2.
std::string_view End(std::string_view path, size_t parts) {
  size_t begin = path.size();
  for (size_t i = 0; i < parts && begin != std::string_view::npos; ++i) {
    begin = begin == 0 ? std::string_view::npos : path.rfind('/', begin - 1);
  }
  return begin == std::string_view::npos ? path : path.substr(begin + 1);
}

size_t CountParts(std::string_view path) {
  return static_cast<size_t>(std::count(path.begin(), path.end(), '/')) + 1;
}

// The folders of a path, innermost first: "/a/b/c.json": {"/a/b/", "/a/"}.
std::vector<std::string> Folders(std::string_view path) {
  std::vector<std::string> folders;
  for (size_t slash = path.rfind('/'); slash != std::string_view::npos && slash > 0;
       slash = path.rfind('/', slash - 1)) {
    folders.emplace_back(path.substr(0, slash + 1));
  }
  return folders;
}

void RemoveAll(std::string_view part, std::string& text) {
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
}

void DropFoldersFromLog(const std::set<StringId>& paths, Trace& trace) {
  std::vector<std::string> folders;
  for (const StringId path : paths) {
    for (std::string& folder : Folders(trace.Text(path))) folders.push_back(std::move(folder));
  }
  std::sort(folders.begin(), folders.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  for (StringId& message : trace.tables.import_log.message) {
    std::string text(trace.Text(message));
    for (const std::string& folder : folders) RemoveAll(folder, text);
    if (text != trace.Text(message)) message = trace.strings.Intern(text);
  }
}

}  // namespace

void DropSourceFolders(Trace& trace) {
  Column<StringId>& paths = trace.tables.sources.path;
  const std::set<StringId> different(paths.begin(), paths.end());
  size_t most = 1;
  for (const StringId path : different) most = std::max(most, CountParts(trace.Text(path)));
  size_t parts = 1;
  for (; parts < most; ++parts) {
    std::set<std::string_view> names;
    for (const StringId path : different) names.insert(End(trace.Text(path), parts));
    if (names.size() == different.size()) break;
  }
  DropFoldersFromLog(different, trace);
  for (StringId& path : paths) {
    path = trace.strings.Intern(std::string(End(trace.Text(path), parts)));
  }
}

}  // namespace warpsight
