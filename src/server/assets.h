#pragma once

#include <string>
#include <string_view>

#include "server/message.h"

namespace warpsight::server {

// The viewer's files, which the build puts into the program (cmake/Viewer.cmake).
struct Asset {
  std::string_view path;  // "index.html", "assets/index-4f1c.js"
  std::string_view gzip;  // its compressed bytes
};

// The file at a path of parts; an empty path is the index. A 404 page where there is none.
Response AssetRoute(const Request& request);

// The page that becomes an offline one, not compressed.
std::string OfflinePage();

}  // namespace warpsight::server
