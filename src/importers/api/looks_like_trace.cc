#include "importers/api/looks_like_trace.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "importers/api/importer.h"

namespace warpsight {

bool LooksLikeTrace(const std::string& path) {
  constexpr size_t kSniffBytes = 64 * 1024;
  auto bytes = OpenBytes(path);
  if (!bytes.ok()) return false;
  std::string head(kSniffBytes, '\0');
  const auto size = (*bytes)->Read(head.data(), head.size());
  if (!size.ok()) return false;
  head.resize(*size);
  const std::vector<Importer> importers = AllImporters();
  return std::any_of(importers.begin(), importers.end(), [&](const Importer& importer) {
    return importer.sniff(head) ||
           std::any_of(importer.endings.begin(), importer.endings.end(),
                       [&](std::string_view ending) { return path.ends_with(ending); });
  });
}

}  // namespace warpsight
