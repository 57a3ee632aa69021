#include "model/source_names.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
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
  for (StringId& path : paths) {
    path = trace.strings.Intern(std::string(End(trace.Text(path), parts)));
  }
}

}  // namespace warpsight
