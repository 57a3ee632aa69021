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
  // Tables that stay empty; ids of their rows are missing in the others. No report needs flows: the
  // facts hold what they say.
  std::vector<std::string_view> skip = {"flows"};
  // The file to read, already open; the path then only names it. Negative: the path is opened.
  int descriptor = -1;

  // Everything except events and details of single events: a few small tables, however long the
  // recording. For code that needs only sums computed at import.
  static LoadOptions WithoutEvents();
};

// Reads a profile that this version's SaveProfile wrote, or the tables of it that are not skipped.
// Whatever the file contains, the result is a profile whose ids and kinds are in range, or a
// one-line error that names the file and the reason. Its code is kOlderSchema if an earlier version
// wrote the file: LoadTrace() then reads its trace.
Result<Profile> LoadProfile(const std::string& path, const LoadOptions& options = {});

inline constexpr const char* kOlderSchema = "older-schema";

struct StoredTrace {
  Trace trace;
  int schema_version = 0;  // that it was stored with
};

// Reads the whole trace of a profile of this schema or an earlier one, and nothing of what was
// derived from it. What earlier schemas did not store is missing. Checked as LoadProfile() checks.
Result<StoredTrace> LoadTrace(const std::string& path, int descriptor = -1);

// Whether the file begins like a DuckDB database; false also when it cannot be read.
bool LooksLikeProfile(const std::string& path);

}  // namespace warpsight
