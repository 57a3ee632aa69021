#pragma once

#include <string>
#include <string_view>

#include "server/message.h"

namespace warpsight::server {

// A file of the viewer, embedded in the program by the build (cmake/Viewer.cmake).
struct Asset {
  std::string_view path;  // "index.html", "assets/index-4f1c.js"
  std::string_view gzip;  // its content, compressed
};

// The file at the path of the request; an empty path is the index. A 404 page if there is none.
Response AssetRoute(const Request& request);

// The uncompressed page that becomes the offline page.
std::string OfflinePage();

}  // namespace warpsight::server
