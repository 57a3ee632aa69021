#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/api.h"
#include "server/message.h"
#include "server/profiles.h"

namespace warpsight::server {

// The complete web application: the API and the static files. Thread-safe.
class Viewer {
 public:
  Viewer(const std::vector<std::string>& paths, Profiles::Import import,
         Profiles::Inform inform = {}, Profiles::Rename rename = {})
      : profiles_(paths, std::move(import), std::move(inform), Folders::kShown, std::move(rename)),
        api_(profiles_) {}

  Response Handle(const Request& request);

  const Profiles& profiles() const { return profiles_; }

 private:
  Profiles profiles_;
  Api api_;
};

}  // namespace warpsight::server
