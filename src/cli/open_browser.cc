#include "cli/open_browser.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>

#include "base/descriptor.h"
#include "base/spawn.h"

namespace warpsight {
namespace {

// The user's runtime folder if the system has created one, otherwise the temporary folder.
std::string ParentFolder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  struct stat status {};
  if (runtime != nullptr && ::stat(runtime, &status) == 0 && S_ISDIR(status.st_mode) &&
      status.st_uid == ::geteuid() && (status.st_mode & 077) == 0) {
    return runtime;
  }
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  return error ? "/tmp" : folder.string();
}

bool WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

Result<RedirectPage> RedirectPage::Write(const std::string& url) {
  const std::string parent = ParentFolder();
  auto folder = UnfinishedFolder::CreateIn(parent);
  if (!folder.ok()) {
    return Error{fmt::format("cannot write to {}: {}", parent, folder.error().message)};
  }
  RedirectPage page(*std::move(folder));
  const std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<meta http-equiv=\"refresh\" content=\"0;url={0}\">\n<title>Warpsight</title>\n"
      "<p><a href=\"{0}\">Open the viewer</a></p>\n</html>\n",
      url);
  const Descriptor file(::open(page.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.ok() || !WriteAll(file.get(), text)) {
    return Error{fmt::format("cannot write {}: {}", page.path(), std::strerror(errno))};
  }
  return page;
}

Status OpenBrowser(const std::string& path) {
  SpawnOptions options;
  options.search_path = true;
  const auto process = Spawn("xdg-open", {"xdg-open", path}, options);
  if (!process.ok()) return Error{process.error().message + ": open the URL manually"};
  std::thread([process = *process] { waitpid(process, nullptr, 0); }).detach();
  return {};
}

}  // namespace warpsight
