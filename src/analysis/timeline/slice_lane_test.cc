#include "analysis/timeline/slice_lane.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace warpsight {
namespace {

SliceLane MakeLane(SliceList slices, SliceLane::Layout layout) {
  std::vector<SliceLane::Band> bands;
  bands.push_back({std::move(slices), layout});
  return SliceLane(std::move(bands));
}

SliceList List(std::initializer_list<Interval> intervals) {
  SliceList list;
  uint32_t row = 0;
  for (const Interval& i : intervals) {
    list.Add(i.start, i.end, {EventTable::kHost, row++}, Category::kCpu);
  }
  return list;
}

std::vector<Slice> SlicesOf(const SliceLane& lane, size_t row, TimeNs from, TimeNs to, int log) {
  std::vector<Slice> slices;
  lane.AppendSlices(row, from, to, log, slices);
  return slices;
}

size_t RowOf(const SliceLane& lane, uint32_t event, TimeNs start) {
  return lane.Find({EventTable::kHost, event}, start).row;
}

TEST(SliceLaneTest, CallsAreNestedAndOverlapsAreBelow) {
  // 0 contains 1, and 1 contains 2. 3 only overlaps 0 but must still be below it, and 4 below 3.
  const SliceLane lane = MakeLane(List({{0, 100}, {10, 50}, {20, 30}, {90, 150}, {110, 120}}),
                                  SliceLane::Layout::kNested);
  ASSERT_EQ(lane.row_count(), 3u);
  EXPECT_EQ(RowOf(lane, 0, 0), 0u);
  EXPECT_EQ(RowOf(lane, 1, 10), 1u);
  EXPECT_EQ(RowOf(lane, 2, 20), 2u);
  EXPECT_EQ(RowOf(lane, 3, 90), 1u);
  EXPECT_EQ(RowOf(lane, 4, 110), 2u);
}

// A profiler's own frames may last from one step into the next without being nested in it:
// consecutive steps stay in one row.
TEST(SliceLaneTest, OverlappingFramesDoNotPushStepsDown) {
  const SliceLane lane = MakeLane(List({{0, 300},
                                        {10, 100},
                                        {90, 110},
                                        {91, 109},
                                        {101, 200},
                                        {120, 130},
                                        {190, 210},
                                        {201, 290}}),
                                  SliceLane::Layout::kNested);
  EXPECT_EQ(RowOf(lane, 1, 10), 1u);
  EXPECT_EQ(RowOf(lane, 2, 90), 2u);
  EXPECT_EQ(RowOf(lane, 3, 91), 3u);
  EXPECT_EQ(RowOf(lane, 4, 101), 1u);
  EXPECT_EQ(RowOf(lane, 5, 120), 2u);
  EXPECT_EQ(RowOf(lane, 6, 190), 2u);
  EXPECT_EQ(RowOf(lane, 7, 201), 1u);
}

TEST(SliceLaneTest, ConcurrentWorkIsInTheFirstFreeRow) {
  const SliceLane lane =
      MakeLane(List({{0, 100}, {50, 150}, {110, 120}}), SliceLane::Layout::kFirstFree);
  ASSERT_EQ(lane.row_count(), 2u);
  EXPECT_EQ(RowOf(lane, 2, 110), 0u);
}

TEST(SliceLaneTest, ShortSlicesInABucketAreMerged) {
  SliceList list;
  list.Add(0, 10, {EventTable::kHost, 0}, Category::kCpu);
  list.Add(10, 14, {EventTable::kApi, 1}, Category::kApi);
  list.Add(20, 24, {EventTable::kHost, 2}, Category::kCpu);
  list.Add(30, 200, {EventTable::kHost, 3}, Category::kModule);  // long
  list.Add(200, 201, {EventTable::kHost, 4}, Category::kCpu);
  const SliceLane lane = MakeLane(std::move(list), SliceLane::Layout::kNested);
  const std::vector<Slice> slices = SlicesOf(lane, 0, 0, 1 << 16, 6);
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0].start, 0);
  EXPECT_EQ(slices[0].end, 24);
  EXPECT_EQ(slices[0].count, 3u);
  EXPECT_EQ(slices[0].event, (EventRef{EventTable::kHost, 0}));
  EXPECT_EQ(slices[0].category, Category::kCpu);
  EXPECT_FLOAT_EQ(slices[0].cover, 18.0F / 24);
  EXPECT_EQ(slices[1].count, 1u);
  EXPECT_EQ(slices[1].event.row, 3u);
  EXPECT_EQ(slices[2].event.row, 4u);
  // With buckets of 1 ns, nothing is merged.
  EXPECT_EQ(SlicesOf(lane, 0, 0, 1 << 10, 0).size(), 5u);
}

TEST(SliceLaneTest, ASliceThatBeganEarlierIsNotMerged) {
  const SliceLane lane = MakeLane(List({{100, 110}, {120, 140}}), SliceLane::Layout::kNested);
  const std::vector<Slice> slices = SlicesOf(lane, 0, 128, 192, 6);
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].event.row, 1u);
  EXPECT_EQ(slices[0].count, 1u);
  EXPECT_EQ(slices[0].start, 120);
}

TEST(SliceLaneTest, UnorderedSlicesAreSorted) {
  const SliceLane lane = MakeLane(List({{50, 60}, {0, 10}, {0, 100}}), SliceLane::Layout::kNested);
  EXPECT_EQ(RowOf(lane, 2, 0), 0u);
  EXPECT_EQ(RowOf(lane, 0, 50), 1u);
}

TEST(SliceLaneTest, EmptyLane) {
  const SliceLane lane = MakeLane({}, SliceLane::Layout::kNested);
  EXPECT_EQ(lane.row_count(), 0u);
  EXPECT_EQ(lane.event_count(), 0u);
}

// The reference implementation, which computes everything directly from the slices.
struct Naive {
  Interval times;
  uint32_t row;
  uint8_t kind;
};

std::vector<Slice> NaiveSlices(const std::vector<Naive>& row, TimeNs from, TimeNs to, int log) {
  const DurationNs bucket = DurationNs{1} << log;
  std::vector<Slice> result;
  std::vector<const Naive*> open;
  const auto flush = [&] {
    if (open.empty()) return;
    Slice slice{open.front()->times.start,
                open.back()->times.end,
                {},
                Category::kOther,
                static_cast<uint32_t>(open.size()),
                1};
    std::map<uint8_t, DurationNs> time;
    DurationNs all = 0;
    DurationNs longest = -1;
    for (const Naive* n : open) {
      const DurationNs length = n->times.end - n->times.start;
      all += length;
      time[n->kind & 31] += length;
      if (length > longest) {
        longest = length;
        slice.event = {TableOf(n->kind), n->row};
        slice.category = CategoryOf(n->kind);
      }
    }
    DurationNs most = 0;
    for (const auto& [category, length] : time) {
      if (open.size() > 1 && length > most) {
        most = length;
        slice.category = static_cast<Category>(category);
      }
    }
    if (open.size() > 1 && slice.end > slice.start) {
      slice.cover = static_cast<float>(static_cast<double>(all) /
                                       static_cast<double>(slice.end - slice.start));
    }
    result.push_back(slice);
    open.clear();
  };
  for (const Naive& n : row) {
    const bool touches = n.times.start < to && (n.times.start >= from || n.times.end > from);
    if (!touches) continue;
    const bool alone = n.times.start < from || n.times.end - n.times.start >= bucket;
    if (alone || (!open.empty() && open.back()->times.start >> log != n.times.start >> log))
      flush();
    open.push_back(&n);
    if (alone) flush();
  }
  flush();
  return result;
}

// Random consecutive slices, in bursts and with pauses of every size.
TEST(SliceLaneTest, AgreesWithTheReferenceAtEveryZoom) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    SliceList list;
    std::vector<Naive> row;
    TimeNs now = 0;
    const size_t count = 1 + random() % 3000;
    const int spread = 1 + static_cast<int>(random() % 20);
    bool last_empty = false;
    for (uint32_t i = 0; i < count; ++i) {
      const uint64_t most_pause = uint64_t{1} << (random() % static_cast<uint64_t>(spread));
      const uint64_t most_length = uint64_t{1} << (random() % 12);
      const auto length = random() % 8 == 0 ? 0 : static_cast<DurationNs>(random() % most_length);
      // A slice of length 0 is inside another one that begins at the same time, so it is in another
      // row.
      now += static_cast<TimeNs>(random() % most_pause) + (last_empty && length > 0 ? 1 : 0);
      last_empty = length == 0;
      const auto category = static_cast<Category>(random() % 4);
      const Naive n{{now, now + length}, i, PackKind(EventTable::kGpu, category)};
      list.Add(n.times.start, n.times.end, {EventTable::kGpu, i}, category);
      row.push_back(n);
      now += length;
    }
    const SliceLane lane = MakeLane(std::move(list), SliceLane::Layout::kFirstFree);
    ASSERT_EQ(lane.row_count(), 1u);
    for (int tile = 0; tile < 40; ++tile) {
      const int log = static_cast<int>(random() % 24);
      const DurationNs length = DurationNs{1} << (log + static_cast<int>(random() % 11));
      const TimeNs from =
          static_cast<TimeNs>(random() % static_cast<uint64_t>(now + 1)) / length * length;
      const auto expected = NaiveSlices(row, from, from + length, log);
      ASSERT_EQ(SlicesOf(lane, 0, from, from + length, log), expected)
          << "round " << round << ", bucket 2^" << log << ", from " << from;
    }
  }
}

TEST(SliceLaneTest, AMillionOverlappingSlicesTakeBoundedRows) {
  for (const auto layout : {SliceLane::Layout::kNested, SliceLane::Layout::kFirstFree}) {
    constexpr uint32_t kCount = 1'000'000;
    SliceList list;
    for (uint32_t i = 0; i < kCount; ++i) {
      list.Add(i, 2 * kCount + i, {EventTable::kHost, i}, Category::kCpu);
    }
    list.Add(4 * kCount, 4 * kCount + 1, {EventTable::kHost, kCount}, Category::kCpu);
    const SliceLane lane = MakeLane(std::move(list), layout);
    EXPECT_EQ(lane.row_count(), SliceLane::kMaxRows);
    uint64_t events = 0;
    for (size_t row = 0; row < lane.row_count(); ++row) {
      TimeNs last_end = 0;
      for (const Slice& slice : SlicesOf(lane, row, 0, TimeNs{1} << 23, 13)) {
        EXPECT_GE(slice.start, last_end);
        last_end = slice.end;
        events += slice.count;
      }
    }
    EXPECT_EQ(events, kCount + 1);
    const auto deep = lane.Find({EventTable::kHost, kCount - 1}, kCount - 1);
    EXPECT_EQ(deep.row, SliceLane::kMaxRows - 1);
    EXPECT_EQ(deep.category, Category::kCpu);
    size_t visited = 0;
    lane.ForEachEvent(SliceLane::kMaxRows - 1, 0, 1000, [&](EventRef) { ++visited; });
    EXPECT_EQ(visited, kCount - SliceLane::kMaxRows + 1);
  }
}

TEST(SliceLaneTest, TimesUpToTheLargestExactNumber) {
  const TimeNs end = TimeNs{1} << 53;
  const SliceLane lane =
      MakeLane(List({{0, end}, {5, 6}, {end - 1, end}, {end, end}}), SliceLane::Layout::kNested);
  uint64_t events = 0;
  for (size_t row = 0; row < lane.row_count(); ++row) {
    for (const Slice& slice : SlicesOf(lane, row, 0, end * 2, 44)) events += slice.count;
  }
  EXPECT_EQ(events, 4u);
}

TEST(SliceLaneTest, EventsOfAnIntervalAreVisited) {
  const SliceLane lane =
      MakeLane(List({{0, 10}, {10, 20}, {20, 20}, {20, 30}}), SliceLane::Layout::kFirstFree);
  const auto visited = [&](TimeNs from, TimeNs to) {
    std::set<uint32_t> rows;
    for (size_t row = 0; row < lane.row_count(); ++row) {
      lane.ForEachEvent(row, from, to, [&](EventRef event) { rows.insert(event.row); });
    }
    return rows;
  };
  EXPECT_EQ(visited(10, 20), (std::set<uint32_t>{1}));
  EXPECT_EQ(visited(5, 11), (std::set<uint32_t>{0, 1}));
  EXPECT_EQ(visited(20, 21), (std::set<uint32_t>{2, 3}));
  EXPECT_EQ(visited(30, 40), (std::set<uint32_t>{}));
}

}  // namespace
}  // namespace warpsight
