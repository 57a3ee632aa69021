#include "store/profile_place.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "store/open_profile.h"

namespace warpsight {
namespace {

// The extension of DuckDB's log beside a database. DuckDB applies an existing log when it opens the
// database.
constexpr const char* kLogEnding = ".wal";

}  // namespace

bool IsWarpsightProfile(const std::string& path) {
  const auto opened = store::AttachProfile(path, {{"threads", "1"}});
  return opened.ok() || opened.error().code == "newer-schema";
}

Status CheckNoLog(const std::string& path) {
  const std::string log = path + kLogEnding;
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(log, error))) return {};
  return Error{fmt::format("{} exists and DuckDB would apply it; move that file away", log),
               kRefusedOutput};
}

Result<OutputPlace> FindProfilePlace(const std::string& path, const OutputRules& rules) {
  // Checked first, since a database with a log must not be opened to find out what it is.
  Status status = CheckNoLog(path);
  if (!status.ok()) return CannotSave(path, status.error());
  auto place = OutputPlace::Find(path, rules, {"a Warpsight profile", &IsWarpsightProfile});
  status = place.status();
  if (status.ok() && place->is_stream()) status = Error{"it is not a regular file"};
  if (status.ok()) status = CheckNoLog(place->target());
  if (status.ok()) return place;
  return CannotSave(path, status.error());
}

Error CannotSave(const std::string& path, const Error& reason) {
  return {fmt::format("cannot save {}: {}", path, reason.message), reason.code};
}

}  // namespace warpsight
