// The timeline on real traces, compared with a simple computation from the trace's tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/accounting/gpu_work.h"
#include "analysis/accounting/waiting_calls.h"
#include "analysis/timeline/timeline.h"
#include "import_once.h"
#include "test_traces.h"
#include "tile_reader.h"

namespace warpsight::testing {
namespace {

using ::testing::HasSubstr;

struct Event {
  TimeNs start;
  TimeNs end;
  EventRef ref;
  Category category;
};

using RowId = std::pair<uint32_t, uint32_t>;  // lane, depth
using Rows = std::map<RowId, std::vector<Event>>;

// All events of a profile in the rows that the documentation specifies.
class PlainRows {
 public:
  PlainRows(const Timeline& timeline, ProfileView profile, const RangeSummary& range)
      : profile_(profile) {
    const TraceTables& t = profile.trace.tables;
    const FactTables& facts = profile.facts;
    const std::vector<bool> waits = WaitingCalls(profile.trace, facts);
    std::map<uint32_t, std::vector<Event>> calls, work, annotations, others;
    const auto add = [&](auto& lanes, EventRef ref, TimeNs start, TimeNs end, Category category) {
      lanes[timeline.LaneOf(profile, ref)].push_back({start, end, ref, category});
    };
    for (uint32_t h = 0; h < t.host.start.size(); ++h) {
      const bool loader = profile.trace.Text(t.host.name[h]).starts_with("enumerate(DataLoader)#");
      const Category by_kind[] = {
          Category::kCpu,      loader ? Category::kDataLoading : Category::kAnnotation,
          Category::kPython,   Category::kModule,
          Category::kOverhead, Category::kOther,
          Category::kOther};
      add(calls, {EventTable::kHost, h}, t.host.start[h], t.host.start[h] + t.host.duration[h],
          by_kind[static_cast<size_t>(t.host.kind[h])]);
    }
    for (uint32_t a = 0; a < t.api.start.size(); ++a) {
      add(calls, {EventTable::kApi, a}, t.api.start[a], t.api.start[a] + t.api.duration[a],
          waits[a] ? Category::kSync : Category::kApi);
    }
    for (uint32_t g = 0; g < t.gpu.start.size(); ++g) {
      add(work, {EventTable::kGpu, g}, t.gpu.start[g], t.gpu.start[g] + t.gpu.duration[g],
          GpuCategory(g));
    }
    for (uint32_t a = 0; a < t.gpu_annotations.start.size(); ++a) {
      const TimeNs start = t.gpu_annotations.start[a];
      add(annotations, {EventTable::kAnnotation, a}, start, start + t.gpu_annotations.duration[a],
          Category::kAnnotation);
    }
    for (uint32_t g = 0; g < facts.gaps.start.size(); ++g) {
      add(others, {EventTable::kGap, g}, facts.gaps.start[g], facts.gaps.end[g],
          static_cast<Category>(static_cast<size_t>(Category::kGapData) +
                                static_cast<size_t>(facts.gaps.cause[g])));
    }
    for (uint32_t i = 0; i < facts.iterations.start.size(); ++i) {
      const int64_t number = facts.iterations.number[i];
      add(others, {EventTable::kIteration, i}, facts.iterations.start[i], facts.iterations.end[i],
          number >= range.first && number <= range.last ? Category::kIteration
                                                        : Category::kOutside);
    }
    for (auto& [lane, events] : calls) Place(lane, events, 0, true);
    for (auto& [lane, events] : others) Place(lane, events, 0, false);
    for (auto& [lane, events] : annotations) Place(lane, events, 0, true);
    for (auto& [lane, events] : work) {
      uint32_t above = 0;
      while (rows_.contains({lane, above})) ++above;
      Place(lane, events, above, false);
    }
  }

  const Rows& rows() const { return rows_; }

 private:
  // From the same facts as the reports, and from the sets of times that they use.
  Category GpuCategory(uint32_t g) const {
    const TraceTables& t = profile_.trace.tables;
    const FactTables& facts = profile_.facts;
    if (t.gpu.kind[g] != GpuKind::kKernel) return Category::kMemory;
    const size_t kernel = facts.KernelRow(t.gpu.name[g]);
    if (profile_.trace.Text(facts.kernel_names.family[kernel]) == "collective") {
      return Category::kCommunication;
    }
    return facts.kernel_names.tensor_cores[kernel] == TensorCores::kYes ? Category::kTensorCores
                                                                        : Category::kOtherKernels;
  }

  void Place(uint32_t lane, std::vector<Event>& events, uint32_t first_row, bool nested) {
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      return a.start != b.start ? a.start < b.start : a.end > b.end;
    });
    std::vector<TimeNs> ends;
    for (const Event& event : events) {
      size_t row = 0;
      for (size_t r = 0; nested && r < ends.size(); ++r) {
        if (ends[r] > event.start && ends[r] >= event.end) row = r + 1;
      }
      while (row < ends.size() && ends[row] > event.start) ++row;
      ASSERT_LT(row, SliceLane::kMaxRows) << "the trace is too deep for this test";
      if (row >= ends.size()) ends.resize(row + 1);
      ends[row] = event.end;
      rows_[{lane, first_row + static_cast<uint32_t>(row)}].push_back(event);
    }
  }

  ProfileView profile_;
  Rows rows_;
};

bool Touches(const Event& event, TimeNs from, TimeNs to) {
  return event.start < to && (event.end > from || event.start >= from);
}

Slice Together(const std::vector<const Event*>& events) {
  Slice slice{events.front()->start,
              events.back()->end,
              {},
              Category::kOther,
              static_cast<uint32_t>(events.size()),
              1};
  std::map<Category, DurationNs> time;
  DurationNs longest = -1;
  DurationNs all = 0;
  for (const Event* event : events) {
    const DurationNs length = event->end - event->start;
    time[event->category] += length;
    all += length;
    if (length > longest) {
      longest = length;
      slice.event = event->ref;
      slice.category = event->category;
    }
  }
  if (events.size() == 1) return slice;
  DurationNs most = 0;
  for (const auto& [category, length] : time) {
    if (length > most) {
      most = length;
      slice.category = category;
    }
  }
  if (slice.end > slice.start) {
    slice.cover =
        static_cast<float>(static_cast<double>(all) / static_cast<double>(slice.end - slice.start));
  }
  return slice;
}

// The slices of one row of a tile, as specified in docs/api.md.
std::vector<Slice> SlicesOfRow(const std::vector<Event>& row, TimeNs from, TimeNs to,
                               DurationNs bucket) {
  std::vector<Slice> slices;
  std::map<int64_t, std::vector<const Event*>> by_bucket;
  for (const Event& event : row) {
    if (!Touches(event, from, to)) continue;
    if (event.start < from || event.end - event.start >= bucket) {
      slices.push_back(Together({&event}));
    } else {
      by_bucket[event.start / bucket].push_back(&event);
    }
  }
  for (const auto& [number, events] : by_bucket) slices.push_back(Together(events));
  std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return a.start != b.start ? a.start < b.start : a.end < b.end;
  });
  return slices;
}

// Names of more than 256 characters are truncated; those of these traces are ASCII.
std::string TileName(std::string_view name) {
  return name.size() <= 256 ? std::string(name) : std::string(name.substr(0, 255)) + "…";
}

class TimelineTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(Path())) GTEST_SKIP() << "not part of the repository";
    range_ = SummarizeRange(profile_);
    timeline_ = Timeline::Build(profile_);
  }

  static std::string Path() {
    return GetParam() == "ranks" ? SharedTraces() + "/param_v100_dlrm_8ranks"
                                 : BundledTracePath(GetParam());
  }
  static const Profile& Imported() {
    static const Profile nothing;
    return std::filesystem::exists(Path()) ? ImportOnce({Path()}) : nothing;
  }

  TileRead GetTile(int64_t level, int64_t index, std::span<const uint32_t> lanes = {}) const {
    const auto bytes = Tile(*timeline_, profile_, range_, level, index, lanes);
    EXPECT_TRUE(bytes.ok());
    if (!bytes.ok()) return {};
    TileRead tile = ReadTile(*bytes);
    EXPECT_TRUE(tile.ok) << "level " << level << ", tile " << index;
    return tile;
  }

  DurationNs TileLength(int64_t level) const {
    return DurationNs{1} << (timeline_->span_log() - level);
  }

  // Tiles of every level that contain events.
  std::vector<std::pair<int64_t, int64_t>> SomeTiles(int per_level) const {
    std::mt19937_64 random(11);
    std::vector<std::pair<int64_t, int64_t>> tiles;
    for (int64_t level = 0; level <= timeline_->max_level(); ++level) {
      for (int i = 0; i < per_level; ++i) {
        const auto time =
            static_cast<TimeNs>(random() % static_cast<uint64_t>(timeline_->end() + 1));
        tiles.emplace_back(level, time / TileLength(level));
      }
    }
    return tiles;
  }

  simdjson::dom::element Parse(const Result<std::string>& json) {
    EXPECT_TRUE(json.ok()) << json.error().message;
    simdjson::dom::element element;
    EXPECT_EQ(parser_.parse(*json).get(element), simdjson::SUCCESS) << *json;
    return element;
  }

  const Profile& profile_ = Imported();
  RangeSummary range_;
  std::unique_ptr<const Timeline> timeline_;
  simdjson::dom::parser parser_;
};

TEST_P(TimelineTest, TilesAgreeWithTheDocumentation) {
  const PlainRows plain(*timeline_, profile_, range_);
  for (const auto& [level, index] : SomeTiles(3)) {
    const DurationNs length = TileLength(level);
    const TimeNs from = index * length;
    Rows::size_type shown = 0;
    const TileRead tile = GetTile(level, index);
    std::map<RowId, const TileRowRead*> read;
    for (const TileRowRead& row : tile.rows) read[{row.lane, row.depth}] = &row;
    EXPECT_EQ(read.size(), tile.rows.size()) << "a row occurs twice";
    for (const auto& [id, events] : plain.rows()) {
      const auto expected =
          SlicesOfRow(events, from, from + length, length / int64_t{Timeline::kBuckets});
      if (expected.empty()) continue;
      ++shown;
      ASSERT_TRUE(read.contains(id)) << "level " << level << ", tile " << index << ": lane "
                                     << id.first << " row " << id.second << " is missing";
      const TileRowRead& row = *read[id];
      ASSERT_EQ(row.slices, expected) << "level " << level << ", tile " << index << ", lane "
                                      << id.first << ", row " << id.second;
      for (size_t i = 0; i < row.slices.size(); ++i) {
        ASSERT_EQ(row.names[i], TileName(EventName(profile_, row.slices[i].event)));
      }
    }
    EXPECT_EQ(read.size(), shown);
  }
}

TEST_P(TimelineTest, TilesOfALevelContainEveryEvent) {
  const PlainRows plain(*timeline_, profile_, range_);
  for (int64_t level = 0; level <= std::min(7, timeline_->max_level()); ++level) {
    uint64_t counted = 0;
    for (int64_t index = 0; index < int64_t{1} << level; ++index) {
      for (const TileRowRead& row : GetTile(level, index).rows) {
        TimeNs last_end = -1;
        for (const Slice& slice : row.slices) {
          counted += slice.count;
          EXPECT_GE(slice.start, last_end) << "slices of a row overlap";
          EXPECT_GE(slice.cover, 0);
          EXPECT_LE(slice.cover, 1);
          last_end = slice.end;
        }
      }
    }
    uint64_t expected = 0;
    const DurationNs length = TileLength(level);
    for (const auto& [id, events] : plain.rows()) {
      for (const Event& event : events) {
        const TimeNs last = std::max(event.start, event.end - 1);
        expected += static_cast<uint64_t>(last / length - event.start / length + 1);
      }
    }
    EXPECT_EQ(counted, expected) << "level " << level;
  }
}

TEST_P(TimelineTest, CountersAreAverages) {
  const std::vector<GpuWork> work = CollectGpuWork(profile_.trace, profile_.facts);
  const TraceTables& t = profile_.trace.tables;
  std::mt19937_64 random(5);
  for (const auto& [level, index] : SomeTiles(1)) {
    const DurationNs bucket = TileLength(level) / int64_t{Timeline::kBuckets};
    for (const auto& [lane_id, values] : GetTile(level, index).values) {
      const Lane& lane = timeline_->lanes()[lane_id];
      const IntervalSet busy = work[lane.of].All();
      for (int i = 0; i < 40; ++i) {
        const size_t b = random() % Timeline::kBuckets;
        const TimeNs from = index * TileLength(level) + static_cast<TimeNs>(b) * bucket;
        const TimeNs to = std::min(from + bucket, timeline_->end());
        if (to <= from) {
          EXPECT_TRUE(std::isnan(values[b]));
          continue;
        }
        double sum = 0;
        if (lane.kind == LaneKind::kUtilization) {
          sum = static_cast<double>(busy.LengthWithin({from, to}));
        } else {
          for (size_t g = 0; g < t.gpu.start.size(); ++g) {
            const ApiId call = profile_.facts.gpu.api[g];
            if (!IsSet(call) || Index(profile_.trace.DeviceOf(t.gpu.stream[g])) != lane.of)
              continue;
            const TimeNs launched = t.api.start[Index(call)] + t.api.duration[Index(call)];
            const DurationNs queued = std::min(to, t.gpu.start[g]) - std::max(from, launched);
            sum += static_cast<double>(std::max<DurationNs>(0, queued));
          }
        }
        ASSERT_FLOAT_EQ(values[b], static_cast<float>(sum / static_cast<double>(to - from)))
            << lane.title << ", level " << level << ", tile " << index << ", bucket " << b;
      }
    }
  }
}

TEST_P(TimelineTest, LanesContainEvents) {
  const auto json = Parse(TimelineJson(*timeline_, profile_, range_, "stamp"));
  const int64_t end = json["end"].get_int64();
  const int64_t span = json["span"].get_int64();
  EXPECT_EQ(end, profile_.trace.end);
  EXPECT_GT(span, end);
  EXPECT_EQ(span & (span - 1), 0);
  EXPECT_EQ(span >> int64_t{json["max_level"].get_int64()}, int64_t{Timeline::kBuckets});
  const TraceTables& t = profile_.trace.tables;
  size_t events = 0;
  for (const auto lane : json["lanes"].get_array()) {
    const std::string_view kind = lane["kind"].get_string();
    const auto its_events = static_cast<size_t>(int64_t{lane["events"].get_int64()});
    if (kind == "stream" || kind == "thread") {
      EXPECT_GT(its_events, 0u) << "an empty lane";
      events += its_events;
    }
    EXPECT_FALSE(std::string_view(lane["title"].get_string()).empty());
  }
  EXPECT_EQ(events, t.host.start.size() + t.api.start.size() + t.gpu.start.size() +
                        t.gpu_annotations.start.size());
  EXPECT_EQ(json["categories"].get_array().size(), kCategoryCount);
}

TEST_P(TimelineTest, SelectionOfAnyIntervalSumsExactly) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20; ++i) {
    TimeNs a = static_cast<TimeNs>(random() % static_cast<uint64_t>(timeline_->end()));
    TimeNs b = static_cast<TimeNs>(random() % static_cast<uint64_t>(timeline_->end()));
    if (a == b) continue;
    if (a > b) std::swap(a, b);
    const auto json = Parse(SelectionJson(*timeline_, profile_, a, b));
    const int64_t gpus = json["gpus"].get_int64();
    DurationNs resources = 0;
    for (const auto part : json["resources"].get_array())
      resources += int64_t{part["ns"].get_int64()};
    if (gpus > 0) {
      EXPECT_EQ(resources, (b - a) * gpus);
    }
    DurationNs causes = 0;
    for (const auto part : json["idle"]["causes"].get_array())
      causes += int64_t{part["ns"].get_int64()};
    EXPECT_EQ(causes, int64_t{json["idle"]["ns"].get_int64()});
    // Kernel sums by a simple loop.
    const GpuActivitiesTable& gpu = profile_.trace.tables.gpu;
    int64_t kernels = 0;
    DurationNs time = 0;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      const Event event{gpu.start[g], gpu.start[g] + gpu.duration[g], {}, {}};
      if (gpu.kind[g] != GpuKind::kKernel || !Touches(event, a, b)) continue;
      ++kernels;
      time += std::min(event.end, b) - std::max(event.start, a);
    }
    EXPECT_EQ(int64_t{json["kernels"]["count"].get_int64()}, kernels);
    EXPECT_EQ(int64_t{json["kernels"]["gpu_ns"].get_int64()}, time);
  }
}

TEST_P(TimelineTest, SelectionOfTheRangeIsTheReportsBreakdown) {
  if (range_.windows.size() != 1) GTEST_SKIP() << "every rank has a separate window";
  const Interval window = range_.windows[0];
  const auto json = Parse(SelectionJson(*timeline_, profile_, window.start, window.end));
  size_t i = 0;
  for (const auto part : json["resources"].get_array()) {
    EXPECT_EQ(int64_t{part["ns"].get_int64()}, range_.Of(range_.View()[i++]));
  }
  i = 0;
  for (const auto part : json["idle"]["causes"].get_array()) {
    EXPECT_EQ(int64_t{part["ns"].get_int64()}, range_.Of(static_cast<IdleCause>(i++)));
  }
}

TEST_P(TimelineTest, SearchFindsPartsOfNames) {
  const TraceTables& t = profile_.trace.tables;
  const auto lower = [](std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
  };
  for (const std::string_view text :
       {"GEMM", "aten::", "cudaLaunch", "profilerstep", "x", "zzzzzz"}) {
    std::vector<std::pair<TimeNs, std::string>> expected;
    const auto add = [&](const auto& table, EventTable id) {
      for (uint32_t i = 0; i < table.start.size(); ++i) {
        const EventRef event{id, i};
        if (lower(profile_.trace.Text(table.name[i])).find(lower(text)) != std::string::npos ||
            lower(EventName(profile_, event)).find(lower(text)) != std::string::npos) {
          expected.emplace_back(table.start[i], ToString(event));
        }
      }
    };
    add(t.host, EventTable::kHost);
    add(t.api, EventTable::kApi);
    add(t.gpu, EventTable::kGpu);
    add(t.gpu_annotations, EventTable::kAnnotation);
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const TimeNs after = timeline_->end() / 2;
    const auto before =
        static_cast<size_t>(std::partition_point(expected.begin(), expected.end(),
                                                 [&](const auto& e) { return e.first < after; }) -
                            expected.begin());
    const auto json = Parse(SearchJson(*timeline_, profile_, range_, text, 50, after));
    EXPECT_EQ(static_cast<size_t>(int64_t{json["total"].get_int64()}), expected.size()) << text;
    EXPECT_EQ(static_cast<size_t>(int64_t{json["before"].get_int64()}), before) << text;
    size_t i = before;
    for (const auto match : json["matches"].get_array()) {
      ASSERT_LT(i, expected.size());
      EXPECT_EQ(std::string_view(match["event"].get_string()), expected[i++].second);
    }
    EXPECT_EQ(i, std::min(expected.size(), before + 50));
  }
}

// Every event of a tile has details with the same position, and its links refer to existing events
// with correct positions.
TEST_P(TimelineTest, EventsHaveThePositionsInTiles) {
  std::set<std::string> asked;
  for (const auto& [level, index] : SomeTiles(1)) {
    for (const TileRowRead& row : GetTile(level, index).rows) {
      for (size_t i = 0; i < row.slices.size(); i += 1 + row.slices.size() / 3) {
        const std::string event = ToString(row.slices[i].event);
        if (!asked.insert(event).second) continue;
        const auto json = Parse(EventJson(*timeline_, profile_, range_, event));
        EXPECT_EQ(std::string_view(json["event"].get_string()), event);
        EXPECT_EQ(uint32_t(int64_t{json["lane"].get_int64()}), row.lane) << event;
        EXPECT_EQ(uint32_t(int64_t{json["depth"].get_int64()}), row.depth) << event;
        EXPECT_EQ(TileName(json["name"].get_string()), row.names[i]);
        if (row.slices[i].count == 1) {
          EXPECT_EQ(std::string_view(json["category"].get_string()), IdOf(row.slices[i].category));
          EXPECT_EQ(int64_t{json["start"].get_int64()}, row.slices[i].start);
        }
        int64_t links = 0;
        for (const auto link : json["links"].get_array()) {
          ++links;
          const std::string target(std::string_view(link["event"].get_string()));
          const EventPlace place = PlaceOf(*timeline_, profile_, range_, *ParseEventRef(target));
          EXPECT_EQ(uint32_t(int64_t{link["lane"].get_int64()}), place.lane);
          EXPECT_EQ(uint32_t(int64_t{link["depth"].get_int64()}), place.depth);
        }
        EXPECT_GE(int64_t{json["links_total"].get_int64()}, links);
        EXPECT_GE(int64_t{json["same_name"]["count"].get_int64()}, 1);
      }
    }
  }
  EXPECT_GT(asked.size(), 20u);
}

// An op → its work → its launch and op; forward and backward ops name each other.
TEST_P(TimelineTest, LinksLeadBothWays) {
  const FactTables& facts = profile_.facts;
  const auto links = [&](EventRef event) {
    std::set<std::pair<std::string, std::string>> result;
    const auto json = Parse(EventJson(*timeline_, profile_, range_, ToString(event)));
    for (const auto link : json["links"].get_array()) {
      result.emplace(std::string_view(link["role"].get_string()),
                     std::string_view(link["event"].get_string()));
    }
    return result;
  };
  const auto row = [](auto id) { return static_cast<uint32_t>(Index(id)); };
  int checked = 0;
  for (uint32_t g = 0; g < facts.gpu.api.size() && checked < 20; g += 37) {
    if (!IsSet(facts.gpu.api[g]) || !IsSet(facts.gpu.op[g])) continue;
    ++checked;
    const EventRef work{EventTable::kGpu, g};
    const EventRef call{EventTable::kApi, row(facts.gpu.api[g])};
    const EventRef op{EventTable::kHost, row(facts.gpu.op[g])};
    EXPECT_TRUE(links(work).contains({"launch", ToString(call)}));
    EXPECT_TRUE(links(work).contains({"op", ToString(op)}));
    if (links(call).size() < 100) {
      EXPECT_TRUE(links(call).contains({"work", ToString(work)}));
    }
    EXPECT_TRUE(links(call).contains({"op", ToString(op)}));
    if (links(op).size() < 100) {
      EXPECT_TRUE(links(op).contains({"work", ToString(work)}));
    }
  }
  checked = 0;
  for (uint32_t h = 0; h < facts.host.forward.size() && checked < 20; ++h) {
    if (!IsSet(facts.host.forward[h]) || h % 11 != 0) continue;
    ++checked;
    const EventRef forward{EventTable::kHost, row(facts.host.forward[h])};
    EXPECT_TRUE(links({EventTable::kHost, h}).contains({"forward", ToString(forward)}));
    const auto back = links(forward);
    EXPECT_TRUE(std::any_of(back.begin(), back.end(),
                            [](const auto& link) { return link.first == "backward"; }));
  }
}

TEST_P(TimelineTest, LongestGapsComeFirstAndAreInTheRange) {
  const auto json = Parse(LongestGapsJson(*timeline_, profile_, range_, 10));
  DurationNs last = INT64_MAX;
  for (const auto gap : json["gaps"].get_array()) {
    const int64_t start = gap["start"].get_int64();
    const int64_t duration = gap["duration"].get_int64();
    EXPECT_LE(duration, last);
    EXPECT_GT(duration, 0);
    last = duration;
    const auto event = ParseEventRef(std::string_view(gap["event"].get_string()));
    ASSERT_TRUE(event);
    const DeviceId device = profile_.facts.gaps.device[event->row];
    const Interval window =
        range_.windows[Index(profile_.trace.tables.devices.source[Index(device)])];
    EXPECT_GE(start, window.start);
    EXPECT_LE(start + duration, window.end);
    const IntervalSet busy = CollectGpuWork(profile_.trace, profile_.facts)[Index(device)].All();
    EXPECT_EQ(busy.LengthWithin({start, start + duration}), 0) << "the GPU ran something";
    EXPECT_TRUE(start == window.start || busy.Contains(start - 1)) << "it was idle before";
  }
  if (range_.idle > 0) {
    EXPECT_LT(last, INT64_MAX) << "there are gaps";
  }
}

TEST_P(TimelineTest, InvalidRequestsGetErrorMessages) {
  const auto message = [](const Result<std::string>& result) {
    EXPECT_FALSE(result.ok());
    return result.ok() ? std::string() : result.error().message;
  };
  const int64_t past = timeline_->max_level() + 1;
  EXPECT_THAT(message(Tile(*timeline_, profile_, range_, past, 0, {})), HasSubstr("no level"));
  EXPECT_THAT(message(Tile(*timeline_, profile_, range_, -1, 0, {})), HasSubstr("no level"));
  EXPECT_THAT(message(Tile(*timeline_, profile_, range_, 0, 1, {})), HasSubstr("no tile"));
  EXPECT_THAT(message(Tile(*timeline_, profile_, range_, 1, -1, {})), HasSubstr("no tile"));
  const uint32_t lane[] = {static_cast<uint32_t>(timeline_->lanes().size())};
  EXPECT_THAT(message(Tile(*timeline_, profile_, range_, 0, 0, lane)), HasSubstr("no lane"));
  EXPECT_THAT(message(EventJson(*timeline_, profile_, range_, "gpu:4294967295")),
              HasSubstr("no event gpu:4294967295"));
  EXPECT_THAT(message(EventJson(*timeline_, profile_, range_, "nonsense")), HasSubstr("gpu:123"));
  EXPECT_THAT(message(SelectionJson(*timeline_, profile_, 5, 5)), HasSubstr("empty"));
  EXPECT_THAT(message(SelectionJson(*timeline_, profile_, INT64_MAX - 1, INT64_MAX)),
              HasSubstr("outside"));
  EXPECT_THAT(message(SearchJson(*timeline_, profile_, range_, "", 10, 0)), HasSubstr("no text"));
}

std::vector<std::string> Traces() {
  std::vector<std::string> names = BundledTraces();
  names.emplace_back("ranks");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Traces, TimelineTest, ::testing::ValuesIn(Traces()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace warpsight::testing
