#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/iterations/iterations.h"
#include "analysis/timeline/timeline.h"
#include "base/result.h"
#include "model/profile.h"
#include "server/aggregation.h"
#include "server/slots.h"
#include "server/worker.h"
#include "store/held_file.h"

namespace warpsight::server {

inline constexpr std::string_view kDefaultAggregation = "default";

// The iterations of an aggregation, encoded in its id: "2-5", "2-5@aten::linear",
// "auto@aten::linear".
struct AggregationKey {
  std::optional<int64_t> first, last;  // both or neither
  std::string key_op;

  std::string Id() const;
};

struct AggregationInfo {
  enum class State : uint8_t { kComputing, kReady, kFailed };

  std::string id;
  State state = State::kComputing;
  std::string phase;  // while computing, with how many of its parts are done
  int done = 0, total = 0;
  std::string code, error;  // of a failure
  int64_t first = 0, last = 0, iterations = 0;
  std::string key_op, source, explanation;
  int64_t batch_size = kMissing;
};

// A profile in memory with its aggregations. Aggregations are computed one at a time in the
// background. Their number, the number waiting to be computed and the number with facts in memory
// are limited: the least recently used facts are evicted and computed again on demand, and so are
// whole aggregations. Safe from many threads.
class LoadedProfile {
 public:
  // `file` holds the profile for SQL; may be null.
  LoadedProfile(Profile profile, std::shared_ptr<const HeldFile> file);
  ~LoadedProfile() { stop_ = true; }
  LoadedProfile(const LoadedProfile&) = delete;
  LoadedProfile& operator=(const LoadedProfile&) = delete;

  const Trace& trace() const { return *trace_; }
  // With the facts of its own aggregation.
  ProfileView view() const;
  const HeldFile* file() const { return file_.get(); }
  const std::string& stamp() const { return stamp_; }

  std::vector<AggregationInfo> Aggregations() const;
  std::optional<AggregationInfo> Find(std::string_view id) const;
  // The aggregation of that key and whether it is new. An Error "busy" if too many wait to be
  // computed, "too-many-aggregations" if no more fit into memory.
  Result<std::pair<AggregationInfo, bool>> Create(const AggregationKey& key);
  // Whether there was one to delete.
  bool Delete(std::string_view id);
  // An Error "computing" if none is ready, "busy" if too many wait for one whose facts were
  // evicted.
  Result<std::shared_ptr<const Aggregation>> Get(std::string_view id);

  // Built on first use.
  const Timeline& timeline() const;

  // Ops and ranges by how often they occur: names of key ops.
  const std::vector<std::pair<StringId, int64_t>>& RangeNames() const;

 private:
  struct Entry {
    AggregationKey key;
    AggregationInfo info;
    std::shared_ptr<const Aggregation> loaded;  // null while computing, after a failure, dropped
    uint64_t used = 0;                          // when last, as a count
    uint64_t created = 0;
  };

  void Compute(const std::string& id, const AggregationKey& key);
  Result<std::shared_ptr<const Aggregation>> Aggregate(const std::string& id,
                                                       const AggregationKey& key);
  struct Use {
    AggregationKey key;
    std::shared_ptr<const Aggregation> loaded;  // null: dropped
  };
  // Of an aggregation that is ready, and now used.
  std::optional<Use> Touch(std::string_view id);
  void SetPhase(const std::string& id, std::string_view phase, int done);
  void DropUnused();
  void ForgetOldest();
  // Precomputes what the viewer requests first. Holds no references: results evicted in the
  // meantime are lost.
  void WarmUp(const std::weak_ptr<const Aggregation>& aggregation);
  void WarmUpNewest();

  std::shared_ptr<Trace> trace_;
  std::shared_ptr<const HeldFile> file_;
  std::string stamp_;
  std::shared_ptr<const Aggregation> default_;

  mutable std::mutex mutex_;  // of the entries
  std::map<std::string, Entry, std::less<>> entries_;
  uint64_t clock_ = 0;
  size_t to_compute_ = 0;  // tasks of the worker, also for aggregations that were deleted meanwhile
  std::weak_ptr<const Aggregation> newest_;  // still to be warmed up; set while a task for it waits
  bool warm_up_posted_ = false;
  // Aggregating adds strings to the trace, which only one thread may do at a time.
  std::mutex aggregate_;
  size_t own_strings_;  // of the trace, before any were added
  Slots recomputing_;   // requests that wait for facts that were dropped

  mutable std::once_flag timeline_once_;
  mutable std::unique_ptr<const Timeline> timeline_;
  mutable std::once_flag names_once_;
  mutable std::vector<std::pair<StringId, int64_t>> names_;

  std::atomic<bool> stop_ = false;
  Worker worker_;  // last: its tasks use the rest
};

}  // namespace warpsight::server
