#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "base/unfinished_folder.h"

namespace warpsight {

// A page that only this user can read and that redirects to a URL. Browsers are started with its
// path, because their arguments are visible to all users of the machine and the URL contains the
// token. The page is deleted with the object.
class RedirectPage {
 public:
  static Result<RedirectPage> Write(const std::string& url);

  std::string path() const { return folder_.Path("open.html"); }

 private:
  explicit RedirectPage(UnfinishedFolder folder) : folder_(std::move(folder)) {}

  UnfinishedFolder folder_;
};

// Starts the user's browser, and does not wait for it.
Status OpenBrowser(const std::string& path);

}  // namespace warpsight
