#include "server/viewer.h"

#include "server/assets.h"

namespace warpsight::server {

Response Viewer::Handle(const Request& request) {
  if (!request.path.empty() && request.path.front() == "api") return api_.Handle(request);
  if (request.method != "GET") return Failure(405, "wrong-method", "this URL accepts only GET");
  return AssetRoute(request);
}

}  // namespace warpsight::server
