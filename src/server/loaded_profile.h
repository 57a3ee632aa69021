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

// The iterations of an aggregation. Its id encodes them: "2-5", "2-5@aten::linear",
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
  std::string phase;  // while computing, with the number of completed parts
  int done = 0, total = 0;
  std::string code, error;  // of a failure
  int64_t first = 0, last = 0, iterations = 0;
  std::string key_op, source, explanation;
  int64_t batch_size = kMissing;
};

// A profile in memory with its aggregations. Aggregations are computed one at a time in the
// background. Their number, the number of waiting ones and the number with facts in memory are
// limited: the least recently used facts, and also whole aggregations, are evicted and recomputed
// on demand. Safe to use from many threads.
class LoadedProfile {
 public:
  // `file` is the profile for SQL; may be null.
  LoadedProfile(Profile profile, std::shared_ptr<const HeldFile> file);
  ~LoadedProfile() { stop_ = true; }
  LoadedProfile(const LoadedProfile&) = delete;
  LoadedProfile& operator=(const LoadedProfile&) = delete;

  const Trace& trace() const { return *trace_; }
  // With the facts of the profile's own aggregation.
  ProfileView view() const;
  const HeldFile* file() const { return file_.get(); }
  const std::string& stamp() const { return stamp_; }

  std::vector<AggregationInfo> Aggregations() const;
  std::optional<AggregationInfo> Find(std::string_view id) const;
  // Returns the aggregation with that key, and whether it is new. The Error is "busy" if too many
  // wait to be computed, and "too-many-aggregations" if no more fit into memory.
  Result<std::pair<AggregationInfo, bool>> Create(const AggregationKey& key);
  // Returns false if there is no such aggregation.
  bool Delete(std::string_view id);
  // The Error is "computing" if the aggregation is not ready, and "busy" if too many requests wait
  // for aggregations with evicted facts.
  Result<std::shared_ptr<const Aggregation>> Get(std::string_view id);

  // Created on first use.
  const Timeline& timeline() const;

  // Names of ops and ranges with their numbers of calls, most frequent first: candidates for key
  // ops.
  const std::vector<std::pair<StringId, int64_t>>& RangeNames() const;

 private:
  struct Entry {
    AggregationKey key;
    AggregationInfo info;
    std::shared_ptr<const Aggregation> loaded;  // null: computing, failed or evicted
    uint64_t used = 0;                          // a counter value at the last use
    uint64_t created = 0;
  };

  void Compute(const std::string& id, const AggregationKey& key);
  Result<std::shared_ptr<const Aggregation>> Aggregate(const std::string& id,
                                                       const AggregationKey& key);
  struct Use {
    AggregationKey key;
    std::shared_ptr<const Aggregation> loaded;  // null if evicted
  };
  // Marks an aggregation as used; nullopt if it is not ready.
  std::optional<Use> Touch(std::string_view id);
  void SetPhase(const std::string& id, std::string_view phase, int done);
  void DropUnused();
  void ForgetOldest();
  // Precomputes what the viewer requests first. Holds only weak references: if the aggregation is
  // evicted in the meantime, nothing is computed.
  void WarmUp(const std::weak_ptr<const Aggregation>& aggregation);
  void WarmUpNewest();

  std::shared_ptr<Trace> trace_;
  std::shared_ptr<const HeldFile> file_;
  std::string stamp_;
  std::shared_ptr<const Aggregation> default_;

  mutable std::mutex mutex_;  // guards the entries
  std::map<std::string, Entry, std::less<>> entries_;
  uint64_t clock_ = 0;
  size_t to_compute_ = 0;  // tasks of the worker, including those for deleted aggregations
  std::weak_ptr<const Aggregation> newest_;  // to warm up next; set while a task for it waits
  bool warm_up_posted_ = false;
  // Aggregating adds strings to the trace, which only one thread may do at a time.
  std::mutex aggregate_;
  size_t own_strings_;  // number of strings of the trace before any were added
  Slots recomputing_;   // requests that wait for evicted facts

  mutable std::once_flag timeline_once_;
  mutable std::unique_ptr<const Timeline> timeline_;
  mutable std::once_flag names_once_;
  mutable std::vector<std::pair<StringId, int64_t>> names_;

  std::atomic<bool> stop_ = false;
  Worker worker_;  // last, since its tasks use the other members
};

}  // namespace warpsight::server
