#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "server/api.h"

namespace warpsight::server {

struct OfflineOptions {
  size_t rows = 2000;                 // of each report
  size_t timeline_bytes = 4'000'000;  // compressed: tiles, coarse ones first, and details of events
};

// The contents of an offline page.
struct OfflinePageInfo {
  std::string html;
  size_t reports = 0;
  size_t cut_reports = 0;       // that have more rows than fit
  int64_t timeline_level = -1;  // deepest level of tiles; -1: no timeline
  size_t tiles = 0;
  size_t events = 0;  // with details
};

// The viewer and the responses it needs for one profile, as one file that needs neither a server
// nor a network. The responses are those of `api`.
Result<OfflinePageInfo> MakeOfflinePage(Api& api, const std::string& profile,
                                        const OfflineOptions& options);

// Whether the file is a page that MakeOfflinePage() made.
bool IsOfflinePage(const std::string& path);

}  // namespace warpsight::server
