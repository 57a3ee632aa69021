#include "server/loaded_profile.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <exception>
#include <new>
#include <random>
#include <utility>

#include "analysis/advice/advise_on.h"
#include "analysis/advice/stored_advice.h"
#include "analysis/compute_facts.h"
#include "analysis/screens/dashboard.h"

namespace warpsight::server {
namespace {

// The number of aggregations with facts in memory. With their tables, two take up to 200 MB for a
// profile of three million events.
constexpr size_t kMaxLoaded = 2;

// The maximum number of aggregations of a profile, including its own. People create fewer; each
// takes a few hundred bytes.
constexpr size_t kMaxAggregations = 33;
// The maximum number of aggregations waiting to be computed. Each takes up to a second, so clients
// should retry later.
constexpr size_t kMaxPendingComputations = 8;
// The maximum number of requests that wait for evicted facts, each in a thread of the server.
constexpr int kMaxConcurrentComputations = 4;
// The maximum number of strings that aggregations add to the trace: about a hundred each, which are
// never removed; 100 MB in total.
constexpr size_t kMaxAddedStrings = 500'000;

// The number of progress steps of computing an aggregation.
constexpr int kParts = 2;

// A new value each time a profile is opened.
std::string MakeStamp() { return fmt::format("{:08x}", std::random_device()()); }

void Describe(const Aggregation& aggregation, AggregationInfo& info) {
  const ProfileView profile = aggregation.profile();
  const AggregationsTable& table = profile.facts.aggregations;
  const RangeSummary& range = aggregation.range();
  info.first = range.first;
  info.last = range.last;
  info.iterations = range.total;
  info.source = ToString(range.source);
  info.explanation = range.explanation;
  info.batch_size = range.samples_per_iteration;
  if (!table.key_op.empty()) info.key_op = profile.trace.Text(table.key_op.front());
  info.state = AggregationInfo::State::kReady;
  info.phase.clear();
}

}  // namespace

std::string AggregationKey::Id() const {
  std::string id = first ? fmt::format("{}-{}", *first, *last) : "auto";
  return key_op.empty() ? id : id + '@' + key_op;
}

LoadedProfile::LoadedProfile(Profile profile, std::shared_ptr<const HeldFile> file)
    : trace_(std::make_shared<Trace>(std::move(profile.trace))),
      file_(std::move(file)),
      stamp_(MakeStamp()),
      default_(std::make_shared<Aggregation>(trace_, std::move(profile.facts))),
      own_strings_(trace_->strings.size()),
      recomputing_(kMaxConcurrentComputations) {
  Entry entry;
  entry.info.id = kDefaultAggregation;
  entry.loaded = default_;
  Describe(*default_, entry.info);
  entry.key.key_op = entry.info.key_op;
  entries_.emplace(kDefaultAggregation, std::move(entry));
  // The dashboard is requested first, and most reports need the same intermediate results.
  default_->Text("dashboard", DashboardJson);
  worker_.Post([this] { WarmUp(default_); });
}

void LoadedProfile::WarmUp(const std::weak_ptr<const Aggregation>& aggregation) {
  // The report with a row for each kernel takes longest.
  const auto longest = [](const Report& report) { return report.id == "iteration"; };
  std::vector<Report> reports = AllReports();
  const auto others = std::stable_partition(reports.begin(), reports.end(), longest);
  if (const auto kept = aggregation.lock()) {
    kept->Text("dashboard", DashboardJson);
    for (auto report = reports.begin(); report != others; ++report) kept->TableOf(*report);
  }
  timeline();
  for (auto report = others; report != reports.end(); ++report) {
    worker_.Post([this, aggregation, report = *report] {
      const auto kept = aggregation.lock();
      if (!stop_ && kept != nullptr) kept->TableOf(report);
    });
  }
  // Returns the memory used for this to the system.
  worker_.Post([] { malloc_trim(0); });
}

void LoadedProfile::WarmUpNewest() {
  std::weak_ptr<const Aggregation> newest;
  {
    const std::lock_guard lock(mutex_);
    newest = std::exchange(newest_, {});
    warm_up_posted_ = false;
  }
  WarmUp(newest);
}

ProfileView LoadedProfile::view() const { return default_->profile(); }

const Timeline& LoadedProfile::timeline() const {
  std::call_once(timeline_once_, [this] { timeline_ = Timeline::Build(default_->profile()); });
  return *timeline_;
}

std::vector<AggregationInfo> LoadedProfile::Aggregations() const {
  std::vector<std::pair<uint64_t, AggregationInfo>> found;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, entry] : entries_) found.emplace_back(entry.created, entry.info);
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<AggregationInfo> infos;
  infos.reserve(found.size());
  for (auto& [created, info] : found) infos.push_back(std::move(info));
  return infos;
}

std::optional<AggregationInfo> LoadedProfile::Find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(id);
  if (it == entries_.end()) return {};
  return it->second.info;
}

Result<std::pair<AggregationInfo, bool>> LoadedProfile::Create(const AggregationKey& key) {
  const std::string id = key.Id();
  AggregationInfo info;
  {
    const std::lock_guard lock(mutex_);
    const auto it = entries_.find(id);
    if (it != entries_.end() && it->second.info.state != AggregationInfo::State::kFailed) {
      return std::pair(it->second.info, false);
    }
    if (to_compute_ >= kMaxPendingComputations) {
      return Error{"other iterations are being computed; try again in a moment", "busy"};
    }
    if (trace_->strings.size() - own_strings_ > kMaxAddedStrings) {
      return Error{"too many different iteration ranges were computed; restart the viewer",
                   "too-many-aggregations"};
    }
    Entry entry;
    entry.key = key;
    entry.created = ++clock_;
    entry.used = clock_;
    entry.info.id = id;
    entry.info.phase = "waiting";
    entry.info.total = kParts;
    entry.info.first = key.first.value_or(0);
    entry.info.last = key.last.value_or(0);
    entry.info.key_op = key.key_op;
    info = entry.info;
    entries_.insert_or_assign(id, std::move(entry));
    ForgetOldest();
    ++to_compute_;
  }
  worker_.PostUrgent([this, id, key] { Compute(id, key); });
  return std::pair(info, true);
}

// Must be called with the entries locked. Aggregations that are being computed stay; there are only
// a few of them.
void LoadedProfile::ForgetOldest() {
  while (entries_.size() > kMaxAggregations) {
    auto oldest = entries_.end();
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
      if (it->first == kDefaultAggregation ||
          it->second.info.state == AggregationInfo::State::kComputing) {
        continue;
      }
      if (oldest == entries_.end() || it->second.used < oldest->second.used) oldest = it;
    }
    if (oldest == entries_.end()) return;
    entries_.erase(oldest);
  }
}

bool LoadedProfile::Delete(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(id);
  if (it == entries_.end()) return false;
  entries_.erase(it);
  return true;
}

void LoadedProfile::SetPhase(const std::string& id, std::string_view phase, int done) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(id);
  if (it == entries_.end()) return;
  // Evicted facts are recomputed without a change of state.
  if (it->second.info.state != AggregationInfo::State::kComputing) return;
  it->second.info.phase = phase;
  it->second.info.done = done;
}

void LoadedProfile::Compute(const std::string& id, const AggregationKey& key) {
  {
    const std::lock_guard lock(mutex_);
    --to_compute_;
  }
  const auto asked = Find(id);
  // The aggregation was deleted in the meantime; or it was deleted and created again, and this task
  // runs for the second time.
  if (stop_ || !asked || asked->state != AggregationInfo::State::kComputing) return;
  Result<std::shared_ptr<const Aggregation>> aggregation = Error{"not computed"};
  try {
    const std::lock_guard turn(aggregate_);
    aggregation = Aggregate(id, key);
  } catch (const std::bad_alloc&) {
    aggregation = Error{"there is not enough memory for it", "out-of-memory"};
  } catch (const std::exception& error) {
    aggregation = Error{fmt::format("internal error: {}", error.what()), "internal"};
  }
  AggregationInfo info;
  if (aggregation.ok()) Describe(**aggregation, info);

  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(id);
  if (it == entries_.end()) return;
  if (aggregation.ok()) {
    info.id = id;
    it->second.info = std::move(info);
    it->second.loaded = *aggregation;
    DropUnused();
    newest_ = *aggregation;
    // Only one such task waits at a time, so tasks do not pile up if aggregations are created
    // quickly.
    if (!std::exchange(warm_up_posted_, true)) worker_.Post([this] { WarmUpNewest(); });
  } else {
    it->second.info.state = AggregationInfo::State::kFailed;
    it->second.info.phase.clear();
    it->second.info.code = aggregation.error().code;
    it->second.info.error = aggregation.error().message;
  }
}

// Must be called with aggregate_ locked.
Result<std::shared_ptr<const Aggregation>> LoadedProfile::Aggregate(const std::string& id,
                                                                    const AggregationKey& key) {
  SetPhase(id, "finding iterations", 0);
  IterationOptions options;
  options.first = key.first;
  options.last = key.last;
  options.key_op = key.key_op;
  const AggregationInfo own = *Find(kDefaultAggregation);
  if (own.key_op == key.key_op)
    options.batch_size = own.batch_size;  // the user may have specified it
  FactTables facts = default_->profile().facts;
  if (Status status = Reaggregate(*trace_, options, facts); !status.ok()) return status.error();
  SetPhase(id, "advising", 1);
  const ProfileView view(*trace_, facts);
  RangeSummary range = SummarizeRange(view);
  StoreAdvice(AdviseOn(view, range), trace_->strings, facts);
  return std::shared_ptr<const Aggregation>(
      std::make_shared<Aggregation>(trace_, std::move(facts), std::move(range)));
}

// Must be called with the entries locked.
void LoadedProfile::DropUnused() {
  std::vector<Entry*> loaded;
  for (auto& [id, entry] : entries_) {
    if (entry.loaded != nullptr && entry.loaded != default_) loaded.push_back(&entry);
  }
  std::sort(loaded.begin(), loaded.end(),
            [](const Entry* a, const Entry* b) { return a->used > b->used; });
  for (size_t i = kMaxLoaded; i < loaded.size(); ++i) loaded[i]->loaded = nullptr;
}

std::optional<LoadedProfile::Use> LoadedProfile::Touch(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(id);
  if (it == entries_.end() || it->second.info.state != AggregationInfo::State::kReady) return {};
  it->second.used = ++clock_;
  return Use{it->second.key, it->second.loaded};
}

Result<std::shared_ptr<const Aggregation>> LoadedProfile::Get(std::string_view id) {
  const Error computing{fmt::format("'{}' is still being computed", id), "computing"};
  auto use = Touch(id);
  if (!use) return computing;
  if (use->loaded != nullptr) return use->loaded;
  const Slots::Turn place(recomputing_);
  if (!place) return Error{"other iterations are being computed; try again in a moment", "busy"};
  // Of all threads that need evicted facts, one computes them; the others then find them.
  const std::lock_guard turn(aggregate_);
  use = Touch(id);
  if (!use) return computing;
  if (use->loaded != nullptr) return use->loaded;
  auto aggregation = Aggregate(std::string(id), use->key);
  if (!aggregation.ok()) return computing;
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(id);
  if (it != entries_.end() && it->second.info.state == AggregationInfo::State::kReady) {
    it->second.loaded = *aggregation;
    DropUnused();
  }
  return aggregation;
}

const std::vector<std::pair<StringId, int64_t>>& LoadedProfile::RangeNames() const {
  std::call_once(names_once_, [this] {
    const HostRangesTable& host = trace_->tables.host;
    std::vector<int64_t> counts(trace_->strings.size());
    for (size_t h = 0; h < host.name.size(); ++h) {
      if (host.kind[h] == HostKind::kOp || host.kind[h] == HostKind::kAnnotation ||
          host.kind[h] == HostKind::kModule) {
        ++counts[Index(host.name[h])];
      }
    }
    for (size_t id = 0; id < counts.size(); ++id) {
      if (counts[id] > 0) names_.emplace_back(MakeId<StringId>(id), counts[id]);
    }
    std::stable_sort(names_.begin(), names_.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
  });
  return names_;
}

}  // namespace warpsight::server
