#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/text/text_search.h"
#include "analysis/timeline/timeline.h"
#include "base/json_builder.h"

namespace warpsight {
namespace {

constexpr int64_t kMaxMatches = 10'000;

class Search {
 public:
  Search(ProfileView profile, int64_t limit, TimeNs after)
      : profile_(profile), limit_(static_cast<size_t>(limit)), after_(after) {}

  void Run(const Timeline& timeline, std::string_view text) {
    const Trace& trace = profile_.trace;
    const FactTables& facts = profile_.facts;
    const TextSearch search(text);
    const auto matches = [&](std::string_view name) -> uint8_t { return search.Matches(name); };
    // There are few names but many events: each name is searched once, and events are found by the
    // id of their name.
    std::vector<uint8_t> plain(trace.strings.size());
    std::vector<uint8_t> gpu(trace.strings.size());
    for (const StringId name : timeline.names()) plain[Index(name)] = matches(trace.Text(name));
    for (const StringId name : timeline.gpu_names()) gpu[Index(name)] = matches(trace.Text(name));
    for (size_t k = 0; k < facts.kernel_names.name.size(); ++k) {
      uint8_t& matched = gpu[Index(facts.kernel_names.name[k])];
      if (matched == 0) matched = matches(trace.Text(facts.kernel_names.short_name[k]));
    }
    Collect(trace.tables.host, plain, EventTable::kHost);
    Collect(trace.tables.api, plain, EventTable::kApi);
    Collect(trace.tables.gpu, gpu, EventTable::kGpu);
    Collect(trace.tables.gpu_annotations, plain, EventTable::kAnnotation);
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Match& a, const Match& b) { return a.start < b.start; });
    if (found_.size() > limit_) found_.resize(limit_);
  }

  std::string Json(const Timeline& timeline, const RangeSummary& range) const {
    JsonArray matches;
    for (const Match& match : found_) {
      const Interval times = TimesOf(timeline, profile_, match.event);
      const EventPlace place = PlaceOf(timeline, profile_, range, match.event);
      matches.Json(JsonObject()
                       .Text("event", ToString(match.event))
                       .Text("name", EventName(profile_, match.event))
                       .Integer("start", times.start)
                       .Integer("duration", times.end - times.start)
                       .Integer("lane", LaneNumber(place.lane))
                       .Integer("depth", place.depth)
                       .Text("category", IdOf(place.category))
                       .Take());
    }
    return JsonObject()
        .Integer("total", total_)
        .Integer("before", before_)
        .Json("matches", matches.Take())
        .Take();
  }

 private:
  struct Match {
    TimeNs start;
    EventRef event;
  };

  void Collect(const auto& table, const std::vector<uint8_t>& matched, EventTable id) {
    size_t taken = 0;
    for (uint32_t i = 0; i < table.start.size(); ++i) {
      if (matched[Index(table.name[i])] == 0) continue;
      ++total_;
      if (table.start[i] < after_) {
        ++before_;
      } else if (taken < limit_) {
        ++taken;
        found_.push_back({table.start[i], {id, i}});
      }
    }
  }

  ProfileView profile_;
  size_t limit_;
  TimeNs after_;
  int64_t total_ = 0;
  int64_t before_ = 0;
  std::vector<Match> found_;
};

}  // namespace

Result<std::string> SearchJson(const Timeline& timeline, ProfileView profile,
                               const RangeSummary& range, std::string_view text, int64_t limit,
                               TimeNs after) {
  if (text.empty()) return Error("there is no text to look for", "bad-search");
  if (limit < 0) return Error("the number of matches cannot be negative", "bad-search");
  Search search(profile, std::min(limit, kMaxMatches), after);
  search.Run(timeline, text);
  return search.Json(timeline, range);
}

}  // namespace warpsight
