#include "analysis/timeline/slice_lane.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/order.h"
#include "tbb/parallel_for.h"

namespace warpsight {
namespace {

// Rows with fewer entries are drawn directly from the entries.
constexpr uint32_t kFewEntries = 64;

int BitWidth(int64_t value) { return std::bit_width(static_cast<uint64_t>(value)); }

// Assigns rows to slices, one by one in timeline order.
class RowChooser {
 public:
  explicit RowChooser(SliceLane::Layout layout) : layout_(layout) {}

  uint8_t Choose(TimeNs start, TimeNs end) {
    while (open_ > 0 && row_end_[open_ - 1] <= start) --open_;
    size_t row = 0;
    if (layout_ == SliceLane::Layout::kNested) {
      row = open_;
      while (row > 0 && (row_end_[row - 1] < end || row_end_[row - 1] <= start)) --row;
    }
    while (row < open_ && row_end_[row] > start) ++row;
    if (row == SliceLane::kMaxRows) {
      overfull_ = true;
      TimeNs& last = row_end_.back();
      last = std::max(last, end);
      return static_cast<uint8_t>(SliceLane::kMaxRows - 1);
    }
    row_end_[row] = end;
    open_ = std::max(open_, row + 1);
    used_ = std::max(used_, open_);
    return static_cast<uint8_t>(row);
  }

  size_t used() const { return used_; }
  bool overfull() const { return overfull_; }

 private:
  SliceLane::Layout layout_;
  size_t open_ = 0;  // rows from this one on have no open slice
  size_t used_ = 0;
  bool overfull_ = false;
  std::array<TimeNs, SliceLane::kMaxRows> row_end_{};
};
static_assert(SliceLane::kMaxRows <= 256);

}  // namespace

void SliceList::Reserve(size_t count) {
  start.reserve(count);
  end.reserve(count);
  row.reserve(count);
  kind.reserve(count);
}

void SliceList::Add(TimeNs slice_start, TimeNs slice_end, EventRef event, Category category) {
  start.push_back(slice_start);
  end.push_back(std::max(slice_start, slice_end));
  row.push_back(event.row);
  kind.push_back(PackKind(event.table, category));
}

void SliceList::Sort() {
  const auto ordered = [&](size_t i) {
    return start[i - 1] < start[i] || (start[i - 1] == start[i] && end[i - 1] >= end[i]);
  };
  size_t i = 1;
  while (i < size() && ordered(i)) ++i;
  if (i >= size()) return;
  std::vector<DurationNs> duration(size());
  for (size_t s = 0; s < size(); ++s) duration[s] = end[s] - start[s];
  const std::vector<uint32_t> order = TimelineOrder(start, duration);
  const auto arrange = [&](auto& column) {
    auto arranged = column;
    for (size_t to = 0; to < order.size(); ++to) arranged[to] = column[order[to]];
    column = std::move(arranged);
  };
  arrange(start);
  arrange(end);
  arrange(row);
  arrange(kind);
}

SliceLane::SliceLane(std::vector<Band> bands) {
  for (Band& band : bands) AddBand(std::move(band));
  tbb::parallel_for(size_t{0}, rows_.size(), [&](size_t row) {
    BuildLevels(rows_[row]);
    BuildSums(rows_[row]);
  });
}

void SliceLane::AddBand(Band band) {
  SliceList& slices = band.slices;
  slices.Sort();
  const size_t count = slices.size();
  events_ += count;
  RowChooser chooser(band.layout);
  std::vector<uint8_t> depth(count);
  std::array<uint32_t, kMaxRows> in_row{};
  for (size_t i = 0; i < count; ++i) {
    depth[i] = chooser.Choose(slices.start[i], slices.end[i]);
    ++in_row[depth[i]];
  }
  const size_t plain_rows = chooser.used() - (chooser.overfull() ? 1 : 0);
  std::array<uint32_t, kMaxRows> next{};
  auto total = static_cast<uint32_t>(start_.size());
  for (size_t r = 0; r < plain_rows; ++r) {
    Row& row = rows_.emplace_back();
    row.begin = next[r] = total;
    total += in_row[r];
    row.end = total;
  }
  start_.resize(total);
  end_.resize(total);
  event_row_.resize(total);
  kind_.resize(total);
  std::vector<uint32_t> left_over;
  for (size_t i = 0; i < count; ++i) {
    if (depth[i] >= plain_rows) {
      left_over.push_back(static_cast<uint32_t>(i));
      continue;
    }
    const uint32_t to = next[depth[i]]++;
    start_[to] = slices.start[i];
    end_[to] = slices.end[i];
    event_row_[to] = slices.row[i];
    kind_[to] = slices.kind[i];
  }
  if (chooser.overfull()) FillOverfullRow(slices, left_over, rows_.emplace_back());
}

void SliceLane::FillOverfullRow(const SliceList& slices, std::span<const uint32_t> order,
                                Row& row) {
  row.begin = static_cast<uint32_t>(start_.size());
  DurationNs longest = 0;
  for (const uint32_t i : order) {
    const TimeNs start = slices.start[i];
    const TimeNs end = slices.end[i];
    const bool joins = start_.size() > row.begin && start < end_.back();
    if (!joins) {
      row.events_before.push_back(static_cast<uint32_t>(row.member_row.size()));
      start_.push_back(start);
      end_.push_back(end);
      event_row_.push_back(slices.row[i]);
      kind_.push_back(slices.kind[i]);
      longest = end - start;
    } else {
      end_.back() = std::max(end_.back(), end);
      if (end - start > longest) {
        longest = end - start;
        event_row_.back() = slices.row[i];
        kind_.back() = slices.kind[i];
      }
    }
    row.member_row.push_back(slices.row[i]);
    row.member_kind.push_back(slices.kind[i]);
  }
  row.events_before.push_back(static_cast<uint32_t>(row.member_row.size()));
  row.end = static_cast<uint32_t>(start_.size());
}

// The length of buckets, as a power of two, from which on an entry is drawn together with the
// previous one.
int SliceLane::MergeLog(uint32_t entry) const {
  return std::max(BitWidth(start_[entry - 1] ^ start_[entry]), BitWidth(LengthOf(entry)));
}

void SliceLane::BuildLevels(Row& row) {
  const uint32_t count = row.end - row.begin;
  if (count < kFewEntries) return;
  std::vector<uint8_t> merge(count);
  std::array<uint32_t, 65> merges{};
  for (uint32_t i = 1; i < count; ++i) {
    merge[i] = static_cast<uint8_t>(MergeLog(row.begin + i));
    ++merges[merge[i]];
  }
  uint32_t stored = count / 2;
  uint32_t drawn = count;
  for (int log = 0; log < 63 && stored > kFewEntries / 4; ++log) {
    drawn -= merges[static_cast<size_t>(log)];
    if (drawn > stored / 2) continue;
    stored = drawn;
    Level level{log, {}, {}};
    level.first.reserve(drawn);
    level.longest.reserve(drawn);
    const auto add = [&](uint32_t first, uint32_t longest) {
      if (first == row.begin || merge[first - row.begin] > log) {
        level.first.push_back(first);
        level.longest.push_back(longest);
      } else if (LengthOf(longest) > LengthOf(level.longest.back())) {
        level.longest.back() = longest;
      }
    };
    if (row.levels.empty()) {
      for (uint32_t i = row.begin; i < row.end; ++i) add(i, i);
    } else {
      const Level& finer = row.levels.back();
      for (size_t i = 0; i < finer.first.size(); ++i) add(finer.first[i], finer.longest[i]);
    }
    row.levels.push_back(std::move(level));
  }
}

void SliceLane::BuildSums(Row& row) const {
  std::array<uint8_t, 32> place{};
  std::array<bool, 32> seen{};
  for (uint32_t i = row.begin; i < row.end; ++i) seen[kind_[i] & 31] = true;
  for (size_t c = 0; c < seen.size(); ++c) {
    if (!seen[c]) continue;
    place[c] = static_cast<uint8_t>(row.categories.size());
    row.categories.push_back(static_cast<uint8_t>(c));
  }
  const size_t width = row.categories.size();
  const uint32_t blocks = (row.end - row.begin) / kBlock;
  row.sums.resize((blocks + 1) * width);
  std::vector<DurationNs> sum(width);
  for (uint32_t b = 0; b < blocks; ++b) {
    const uint32_t from = row.begin + b * kBlock;
    for (uint32_t i = from; i < from + kBlock; ++i) sum[place[kind_[i] & 31]] += LengthOf(i);
    std::copy(sum.begin(), sum.end(), row.sums.begin() + static_cast<ptrdiff_t>((b + 1) * width));
  }
}

uint32_t SliceLane::EventsIn(const Row& row, uint32_t first, uint32_t last) const {
  if (row.events_before.empty()) return last - first;
  return row.events_before[last - row.begin] - row.events_before[first - row.begin];
}

// The entries first .. last - 1 as one slice.
Slice SliceLane::Together(const Row& row, uint32_t first, uint32_t last, uint32_t longest) const {
  Slice slice;
  slice.start = start_[first];
  slice.end = end_[last - 1];
  slice.event = {TableOf(kind_[longest]), event_row_[longest]};
  slice.category = warpsight::CategoryOf(kind_[longest]);
  slice.count = EventsIn(row, first, last);
  if (last - first == 1) return slice;
  std::array<DurationNs, 32> time{};
  const auto add = [&](uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; ++i) time[kind_[i] & 31] += LengthOf(i);
  };
  const uint32_t first_block = (first - row.begin + kBlock - 1) / kBlock;
  const uint32_t last_block = (last - row.begin) / kBlock;
  if (first_block < last_block) {
    add(first, row.begin + first_block * kBlock);
    add(row.begin + last_block * kBlock, last);
    const size_t width = row.categories.size();
    for (size_t c = 0; c < width; ++c) {
      time[row.categories[c]] +=
          row.sums[last_block * width + c] - row.sums[first_block * width + c];
    }
  } else {
    add(first, last);
  }
  DurationNs all = 0;
  DurationNs most = 0;
  for (const uint8_t c : row.categories) {
    all += time[c];
    if (time[c] > most) {
      most = time[c];
      slice.category = static_cast<Category>(c);
    }
  }
  if (slice.end > slice.start) {
    slice.cover =
        static_cast<float>(static_cast<double>(all) / static_cast<double>(slice.end - slice.start));
  }
  return slice;
}

void SliceLane::AppendSlices(size_t index, TimeNs from, TimeNs to, int bucket_log,
                             std::vector<Slice>& out) const {
  const Row& row = rows_[index];
  const Level* level = nullptr;
  for (const Level& candidate : row.levels) {
    if (candidate.bucket_log <= bucket_log) level = &candidate;
  }
  // Appends entries, or groups of entries that the level draws as one: `first` returns the first
  // entry of the i-th.
  const auto append = [&](uint32_t count, auto first, auto longest) {
    uint32_t i = 0;
    for (uint32_t size = count; size > 0;) {
      const uint32_t half = size / 2;
      const bool before = start_[first(i + half)] < from;
      i = before ? i + half + 1 : i;
      size = before ? size - half - 1 : half;
    }
    const uint32_t begin = i < count ? first(i) : row.end;
    if (begin > row.begin && end_[begin - 1] > from) {
      out.push_back(Together(row, begin - 1, begin, begin - 1));
    }
    while (i < count && start_[first(i)] < to) {
      const uint32_t slice_first = first(i);
      uint32_t slice_longest = longest(i);
      uint32_t slice_last = row.end;
      for (++i; i < count; ++i) {
        if (MergeLog(first(i)) > bucket_log) {  // not merged, even if `to` lies between them
          slice_last = first(i);
          break;
        }
        if (LengthOf(longest(i)) > LengthOf(slice_longest)) slice_longest = longest(i);
      }
      out.push_back(Together(row, slice_first, slice_last, slice_longest));
    }
  };
  if (level == nullptr) {
    const auto self = [&](uint32_t i) { return row.begin + i; };
    append(row.end - row.begin, self, self);
  } else {
    append(
        static_cast<uint32_t>(level->first.size()), [&](uint32_t i) { return level->first[i]; },
        [&](uint32_t i) { return level->longest[i]; });
  }
}

SliceLane::Place SliceLane::Find(EventRef event, TimeNs start) const {
  for (size_t r = 0; r < rows_.size(); ++r) {
    const Row& row = rows_[r];
    const auto is_it = [&](uint32_t event_row, uint8_t kind) {
      return event_row == event.row && TableOf(kind) == event.table;
    };
    const auto begin = start_.begin() + row.begin;
    const auto end = start_.begin() + row.end;
    if (!row.events_before.empty()) {  // find it within the entry that contains its start
      const auto entry = static_cast<size_t>(std::upper_bound(begin, end, start) - begin);
      if (entry == 0) continue;
      for (uint32_t m = row.events_before[entry - 1]; m < row.events_before[entry]; ++m) {
        if (is_it(row.member_row[m], row.member_kind[m])) {
          return {r, warpsight::CategoryOf(row.member_kind[m])};
        }
      }
      continue;
    }
    for (auto at = std::lower_bound(begin, end, start); at != end && *at == start; ++at) {
      const auto i = static_cast<size_t>(at - start_.begin());
      if (is_it(event_row_[i], kind_[i])) return {r, warpsight::CategoryOf(kind_[i])};
    }
  }
  return {};
}

size_t SliceLane::MemoryBytes() const {
  const auto bytes = [](const auto& column) { return column.capacity() * sizeof(column[0]); };
  size_t total = bytes(start_) + bytes(end_) + bytes(event_row_) + bytes(kind_) + bytes(rows_);
  for (const Row& row : rows_) {
    total += bytes(row.levels) + bytes(row.categories) + bytes(row.sums) +
             bytes(row.events_before) + bytes(row.member_row) + bytes(row.member_kind);
    for (const Level& level : row.levels) total += bytes(level.first) + bytes(level.longest);
  }
  return total;
}

}  // namespace warpsight
