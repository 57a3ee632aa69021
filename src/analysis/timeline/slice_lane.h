#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/text/event_ref.h"
#include "analysis/timeline/category.h"
#include "base/units.h"

namespace warpsight {

// Slices as columns, before they are assigned to rows.
class SliceList {
 public:
  void Reserve(size_t count);
  // If `end` is before `start`, the slice gets length 0.
  void Add(TimeNs start, TimeNs end, EventRef event, Category category);
  // Sorts the slices into timeline order (base/order.h), unless they already are.
  void Sort();

  size_t size() const { return start.size(); }

  std::vector<TimeNs> start, end;
  std::vector<uint32_t> row;  // row of the event in its table
  std::vector<uint8_t> kind;  // category and table in one byte: PackKind
};

constexpr uint8_t PackKind(EventTable table, Category category) {
  return static_cast<uint8_t>(static_cast<unsigned>(table) << 5 | static_cast<unsigned>(category));
}
constexpr EventTable TableOf(uint8_t kind) { return static_cast<EventTable>(kind >> 5); }
constexpr Category CategoryOf(uint8_t kind) { return static_cast<Category>(kind & 31); }
static_assert(kCategoryCount <= 32 && kEventTableCount <= 8);

// A slice as drawn: one event, or several short ones.
struct Slice {
  TimeNs start = 0;
  TimeNs end = 0;
  EventRef event;  // of several events, the longest; of equally long ones, the first
  Category category = Category::kOther;
  uint32_t count = 0;
  float cover = 1;  // share of the slice that its events fill

  friend bool operator==(const Slice&, const Slice&) = default;
};

// The slices of one lane, arranged in rows in which they do not overlap, and prepared to be drawn
// at any zoom.
//
// At a zoom whose buckets are 2^k ns long, slices of at least a bucket are drawn one by one, and
// shorter ones that begin in the same bucket are drawn as one. Buckets of every zoom lie within
// those of the next, so two neighbors i and i + 1 of a row that are one at some zoom are one at
// all coarser zooms: from
//
//   k = max(bits of start[i] xor start[i + 1], bits of the length of slice i + 1)
//
// on. (That slice i is short follows: it ends before slice i + 1 begins, within the bucket.) The
// drawing at a zoom is therefore a list of boundaries between neighbors, and the list of a coarser
// zoom is a subset of it. A row stores such lists only for zooms at which they have halved, in
// total less than half as many entries as slices; zooms in between are derived from the next finer
// list on the fly. Lengths and categories of merged slices come from prefix sums. So the cost of a
// tile is proportional to its output, the lists take about 5 bytes per slice, and building them
// takes one pass.
//
// Immutable after construction; safe to use from many threads.
class SliceLane {
 public:
  enum class Layout : uint8_t {
    kNested,     // in the first free row below all slices that contain it: calls on a thread
    kFirstFree,  // in the first free row: work that may run concurrently
  };

  // The maximum number of rows of a band. Deeper slices, which occur only in damaged traces, go to
  // the last row, in which overlapping slices are merged at every zoom.
  static constexpr size_t kMaxRows = 256;

  // Bands are arranged one below the other, each with its own rows.
  struct Band {
    SliceList slices;
    Layout layout = Layout::kNested;
  };
  SliceLane() = default;
  explicit SliceLane(std::vector<Band> bands);

  size_t row_count() const { return rows_.size(); }
  size_t event_count() const { return events_; }
  size_t MemoryBytes() const;

  // Appends the slices of a row in [from, to), which are multiples of the bucket length,
  // 2^bucket_log ns. Every event that touches [from, to) is in one of the slices; an event of
  // length 0 touches the moment at which it is. An event that began before `from` is not merged.
  void AppendSlices(size_t row, TimeNs from, TimeNs to, int bucket_log,
                    std::vector<Slice>& out) const;

  // Calls visit(EventRef) for the events of a row that touch [from, to); in the last row of a full
  // band, also for some others.
  template <typename Visit>
  void ForEachEvent(size_t row, TimeNs from, TimeNs to, Visit visit) const;

  // The row and category of an event that starts at `start`, which must be in the lane.
  struct Place {
    size_t row = 0;
    Category category = Category::kOther;
  };
  Place Find(EventRef event, TimeNs start) const;

 private:
  // From this zoom on, entries first[i] .. first[i + 1] - 1 of a row are drawn as one.
  struct Level {
    int bucket_log = 0;
    std::vector<uint32_t> first;
    std::vector<uint32_t> longest;
  };
  // The entries begin .. end - 1 of the columns, with data for drawing them quickly. An entry is a
  // slice; in the last row of a full band, it stands for all slices that overlap.
  struct Row {
    uint32_t begin = 0;
    uint32_t end = 0;
    std::vector<Level> levels;        // from fine to coarse; indexes are those of the columns
    std::vector<uint8_t> categories;  // those that occur
    // Time of each of them before every kBlock-th entry of the row.
    std::vector<DurationNs> sums;
    // For a row of overlapping slices: the number of events before each entry, and the events.
    std::vector<uint32_t> events_before;
    std::vector<uint32_t> member_row;
    std::vector<uint8_t> member_kind;
  };
  static constexpr uint32_t kBlock = 32;

  void AddBand(Band band);
  void FillOverfullRow(const SliceList& slices, std::span<const uint32_t> order, Row& row);
  void BuildLevels(Row& row);
  void BuildSums(Row& row) const;
  int MergeLog(uint32_t entry) const;
  Slice Together(const Row& row, uint32_t first, uint32_t last, uint32_t longest) const;
  DurationNs LengthOf(uint32_t entry) const { return end_[entry] - start_[entry]; }
  uint32_t EventsIn(const Row& row, uint32_t first, uint32_t last) const;

  std::vector<TimeNs> start_, end_;
  std::vector<uint32_t> event_row_;
  std::vector<uint8_t> kind_;
  std::vector<Row> rows_;
  size_t events_ = 0;
};

template <typename Visit>
void SliceLane::ForEachEvent(size_t index, TimeNs from, TimeNs to, Visit visit) const {
  const Row& row = rows_[index];
  uint32_t begin = row.begin;
  for (uint32_t size = row.end - row.begin; size > 0;) {  // the first that ends after `from`
    const uint32_t half = size / 2;
    const uint32_t middle = begin + half;
    const bool before = end_[middle] <= from && start_[middle] < from;
    begin = before ? middle + 1 : begin;
    size = before ? size - half - 1 : half;
  }
  for (uint32_t i = begin; i < row.end && start_[i] < to; ++i) {
    if (row.events_before.empty()) {
      visit(EventRef{TableOf(kind_[i]), event_row_[i]});
      continue;
    }
    const uint32_t entry = i - row.begin;
    for (uint32_t m = row.events_before[entry]; m < row.events_before[entry + 1]; ++m) {
      visit(EventRef{TableOf(row.member_kind[m]), row.member_row[m]});
    }
  }
}

}  // namespace warpsight
