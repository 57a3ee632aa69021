#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "server/api.h"

namespace warpsight::server {

struct OfflineOptions {
  size_t rows = 2000;                 // per report
  size_t timeline_bytes = 4'000'000;  // compressed: tiles, coarse ones first, and details of events
};

// The contents of an offline page.
struct OfflinePageInfo {
  std::string html;
  size_t reports = 0;
  size_t cut_reports = 0;       // reports that have more rows than fit
  int64_t timeline_level = -1;  // deepest level of tiles; -1: no timeline
  size_t tiles = 0;
  size_t events = 0;  // included details of events
};

// Writes the viewer and the responses that it needs for one profile to one file that needs neither
// a server nor a network. The responses come from `api`.
Result<OfflinePageInfo> MakeOfflinePage(Api& api, const std::string& profile,
                                        const OfflineOptions& options);

// Whether MakeOfflinePage() created the file.
bool IsOfflinePage(const std::string& path);

}  // namespace warpsight::server
