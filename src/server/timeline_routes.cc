#include "server/api.h"

namespace warpsight::server {

Response TimelineRoute(const Request& /*request*/, const LoadedProfile& /*profile*/,
                       const Aggregation& /*aggregation*/) {
  return Failure(404, "unknown-address", "there is nothing at this address; see docs/api.md");
}

}  // namespace warpsight::server
