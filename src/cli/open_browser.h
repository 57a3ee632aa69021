#pragma once

#include <string>

#include "base/result.h"

namespace warpsight {

// A page that only this user can read and that leads to an address. Browsers are started with its
// path: their arguments are visible to all users of the machine, and the address holds the token.
// The page is deleted with the object.
class RedirectPage {
 public:
  static Result<RedirectPage> Write(const std::string& url);
  RedirectPage(RedirectPage&& other) noexcept;
  RedirectPage& operator=(RedirectPage&&) = delete;
  RedirectPage(const RedirectPage&) = delete;
  RedirectPage& operator=(const RedirectPage&) = delete;
  ~RedirectPage();

  const std::string& path() const { return path_; }

 private:
  RedirectPage(std::string folder, std::string path)
      : folder_(std::move(folder)), path_(std::move(path)) {}

  std::string folder_, path_;
};

// Starts the user's browser, and does not wait for it.
Status OpenBrowser(const std::string& path);

}  // namespace warpsight
