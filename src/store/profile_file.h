#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "model/profile.h"

// The profile file: one DuckDB database that holds a profile; docs/schema.md describes it.
namespace warpsight {

// Writes `profile` to `path`, replacing only a profile or an empty file. The file is written
// atomically: in a private folder next to it, and then renamed; after any failure, a full disk or a
// cancellation, no files remain and the previous file at `path` is unchanged. Uses all cores.
Status SaveProfile(const Profile& profile, const std::string& path, Progress& progress);

struct LoadOptions {
  // Tables that are not loaded; ids of their rows are missing in other tables. No report needs
  // flows, since the facts already contain their information.
  std::vector<std::string_view> skip = {"flows"};
  // The file to read, already open; the path is then only its name. Negative: the path is opened.
  int descriptor = -1;

  // Loads everything except events and their details: a few small tables, however long the
  // recording is. For code that needs only sums computed at import.
  static LoadOptions WithoutEvents();
};

// Reads a profile saved by this version's SaveProfile(), except skipped tables. Whatever the file
// contains, the result is either a profile whose ids and kinds are in range, or a one-line error
// that names the file and the reason. Its code is kOlderSchema if an earlier version wrote the
// file; LoadTrace() can read its trace.
Result<Profile> LoadProfile(const std::string& path, const LoadOptions& options = {});

inline constexpr const char* kOlderSchema = "older-schema";

struct StoredTrace {
  Trace trace;
  int schema_version = 0;  // the version with which it was stored
};

// Reads the whole trace of a profile of the current or an earlier schema, without anything derived
// from it. Data that earlier schemas did not store is missing. Performs the same checks as
// LoadProfile().
Result<StoredTrace> LoadTrace(const std::string& path, int descriptor = -1);

// Whether the file begins like a DuckDB database; also false if it cannot be read.
bool LooksLikeProfile(const std::string& path);

}  // namespace warpsight
