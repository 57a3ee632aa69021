#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "analysis/advice/stored_advice.h"
#include "analysis/aggregation/report_cache.h"
#include "analysis/aggregation/report_input.h"
#include "base/file_id.h"
#include "base/progress.h"
#include "base/result.h"
#include "model/profile.h"
#include "store/held_file.h"

namespace warpsight::mcp {

// A profile in memory that a client opened. Used from one thread.
class OpenedProfile {
 public:
  // Without a file, one for queries is made when it is needed first.
  OpenedProfile(std::string id, std::string path, Profile profile, std::optional<HeldFile> file,
                std::string notice);

  const std::string& id() const { return id_; }
  const std::string& path() const { return path_; }
  // What the user should know about the file; may be empty.
  const std::string& notice() const { return notice_; }
  bool saved() const { return saved_; }  // it is a profile, not a trace

  ProfileView view() const { return profile_; }
  const Trace& trace() const { return profile_.trace; }
  const FactTables& facts() const { return profile_.facts; }
  const RangeSummary& range() const { return range_; }
  const Advice& advice() const { return advice_; }
  ReportInput Input() const { return {profile_, range_, std::nullopt, &cache_}; }

  // Whether the path still leads to what was opened.
  bool IsCurrent() const { return FindState(path_) == state_; }
  // The file whose tables are those of this profile. From a trace it is a temporary file without a
  // name.
  Result<const HeldFile*> FileForQueries(Progress& progress);

 private:
  std::string id_, path_, notice_;
  bool saved_;
  std::optional<FileState> state_;  // of the path when it was opened
  Profile profile_;
  RangeSummary range_;
  Advice advice_;
  std::optional<HeldFile> file_;
  mutable ReportCache cache_;
};

// The profiles of a session by the names that the client calls them. Used from one thread.
class OpenProfiles {
 public:
  // Each holds its events in memory: 3 million take about half a gigabyte.
  static constexpr size_t kMost = 8;

  // Opens a saved profile or a trace, or finds it where it is open. Errors are sentences that say
  // what to do.
  Result<OpenedProfile*> Open(const std::string& path, Progress& progress);
  Result<OpenedProfile*> Find(std::string_view id);
  Status Close(std::string_view id);

  const std::vector<std::unique_ptr<OpenedProfile>>& all() const { return profiles_; }

 private:
  std::string NewId(const std::string& path) const;
  std::string Ids() const;

  std::vector<std::unique_ptr<OpenedProfile>> profiles_;
};

}  // namespace warpsight::mcp
