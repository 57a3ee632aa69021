#include "server/loaded_profile.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <random>

#include "analysis/advice/advise_on.h"
#include "analysis/advice/stored_advice.h"
#include "analysis/facts/compute_facts.h"
#include "analysis/reporting/dashboard.h"

namespace warpsight::server {
namespace {

// With their tables they take up to 200 MB of a profile of three million events.
constexpr size_t kMostLoaded = 2;

// Parts of computing an aggregation.
constexpr int kParts = 2;

// Different for each time a profile is opened.
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
      default_(std::make_shared<Aggregation>(trace_, std::move(profile.facts))) {
  Entry entry;
  entry.info.id = kDefaultAggregation;
  entry.loaded = default_;
  Describe(*default_, entry.info);
  entry.key.key_op = entry.info.key_op;
  entries_.emplace(kDefaultAggregation, std::move(entry));
  // Everyone asks for it first, and most reports need what it needs.
  default_->Text("dashboard", DashboardJson);
  worker_.Post([this] { WarmUp(default_); });
}

void LoadedProfile::WarmUp(const std::shared_ptr<const Aggregation>& aggregation) {
  aggregation->Text("dashboard", DashboardJson);
  // The one with a row for each kernel takes longest.
  const auto longest = [](const Report& report) { return report.id == "iteration"; };
  std::vector<Report> reports = AllReports();
  const auto others = std::stable_partition(reports.begin(), reports.end(), longest);
  for (auto report = reports.begin(); report != others; ++report) aggregation->TableOf(*report);
  timeline();
  for (auto report = others; report != reports.end(); ++report) {
    worker_.Post([this, aggregation, report = *report] {
      if (!stop_) aggregation->TableOf(report);
    });
  }
  // What it took to compute all this goes back to the system.
  worker_.Post([] { malloc_trim(0); });
}

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

std::pair<AggregationInfo, bool> LoadedProfile::Create(const AggregationKey& key) {
  const std::string id = key.Id();
  AggregationInfo info;
  {
    const std::lock_guard lock(mutex_);
    const auto it = entries_.find(id);
    if (it != entries_.end() && it->second.info.state != AggregationInfo::State::kFailed) {
      return {it->second.info, false};
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
  }
  worker_.PostUrgent([this, id, key] { Compute(id, key); });
  return {info, true};
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
  // What was dropped is computed again unnoticed.
  if (it->second.info.state != AggregationInfo::State::kComputing) return;
  it->second.info.phase = phase;
  it->second.info.done = done;
}

void LoadedProfile::Compute(const std::string& id, const AggregationKey& key) {
  const auto asked = Find(id);
  // Deleted meanwhile; or made, deleted and made again, and this is the second time.
  if (stop_ || !asked || asked->state != AggregationInfo::State::kComputing) return;
  Result<std::shared_ptr<const Aggregation>> aggregation = Error{"not computed"};
  try {
    const std::lock_guard turn(aggregate_);
    aggregation = Aggregate(id, key);
  } catch (const std::bad_alloc&) {
    aggregation = Error{"there is not enough memory for it", "out-of-memory"};
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
    worker_.Post([this, ready = *aggregation] { WarmUp(ready); });
  } else {
    it->second.info.state = AggregationInfo::State::kFailed;
    it->second.info.phase.clear();
    it->second.info.code = aggregation.error().code;
    it->second.info.error = aggregation.error().message;
  }
}

// Called with aggregate_ locked.
Result<std::shared_ptr<const Aggregation>> LoadedProfile::Aggregate(const std::string& id,
                                                                    const AggregationKey& key) {
  SetPhase(id, "finding iterations", 0);
  IterationOptions options;
  options.first = key.first;
  options.last = key.last;
  options.key_op = key.key_op;
  const AggregationInfo own = *Find(kDefaultAggregation);
  if (own.key_op == key.key_op) options.batch_size = own.batch_size;  // the user may have given it
  FactTables facts = default_->profile().facts;
  if (Status status = Reaggregate(*trace_, options, facts); !status.ok()) return status.error();
  SetPhase(id, "advising", 1);
  const ProfileView view(*trace_, facts);
  RangeSummary range = SummariseRange(view);
  StoreAdvice(AdviseOn(view, range), trace_->strings, facts);
  return std::shared_ptr<const Aggregation>(
      std::make_shared<Aggregation>(trace_, std::move(facts), std::move(range)));
}

// Called with the entries locked.
void LoadedProfile::DropUnused() {
  std::vector<Entry*> loaded;
  for (auto& [id, entry] : entries_) {
    if (entry.loaded != nullptr && entry.loaded != default_) loaded.push_back(&entry);
  }
  std::sort(loaded.begin(), loaded.end(),
            [](const Entry* a, const Entry* b) { return a->used > b->used; });
  for (size_t i = kMostLoaded; i < loaded.size(); ++i) loaded[i]->loaded = nullptr;
}

std::optional<LoadedProfile::Use> LoadedProfile::Touch(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(id);
  if (it == entries_.end() || it->second.info.state != AggregationInfo::State::kReady) return {};
  it->second.used = ++clock_;
  return Use{it->second.key, it->second.loaded};
}

std::shared_ptr<const Aggregation> LoadedProfile::Get(std::string_view id) {
  auto use = Touch(id);
  if (!use || use->loaded != nullptr) return use ? use->loaded : nullptr;
  // Of all who ask for what was dropped one computes it; the others find it when it is their turn.
  const std::lock_guard turn(aggregate_);
  use = Touch(id);
  if (!use || use->loaded != nullptr) return use ? use->loaded : nullptr;
  auto aggregation = Aggregate(std::string(id), use->key);
  if (!aggregation.ok()) return {};
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(id);
  if (it != entries_.end() && it->second.info.state == AggregationInfo::State::kReady) {
    it->second.loaded = *aggregation;
    DropUnused();
  }
  return *aggregation;
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
