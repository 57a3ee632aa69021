#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/text/display_width.h"
#include "analysis/timeline/timeline.h"
#include "model/hash_map.h"

namespace warpsight {
namespace {

static_assert(std::endian::native == std::endian::little,
              "tiles are written as they lie in memory");

constexpr uint32_t kMagic = 0x31545357;  // "WST1"
// Longer names do not fit any canvas, and names of templates may have thousands of characters.
constexpr size_t kLongestName = 256;

// The distinct names of a tile's slices.
class TileNames {
 public:
  explicit TileNames(ProfileView profile) : profile_(profile) {}

  uint32_t IndexOf(EventRef event) {
    const uint64_t key = KeyOf(event);
    if (key == last_key_) return last_index_;
    const auto [it, added] = index_.try_emplace(key, static_cast<uint32_t>(ends_.size()));
    if (added) Add(EventName(profile_, event));
    last_key_ = key;
    last_index_ = it->second;
    return it->second;
  }

  const std::vector<uint32_t>& ends() const { return ends_; }
  const std::string& bytes() const { return bytes_; }

 private:
  // Equal for events with the same name.
  uint64_t KeyOf(EventRef event) const {
    const TraceTables& tables = profile_.trace.tables;
    const auto text = [](StringId name) { return uint64_t{Index(name)}; };
    switch (event.table) {
      case EventTable::kHost:
        return text(tables.host.name[event.row]);
      case EventTable::kApi:
        return text(tables.api.name[event.row]);
      case EventTable::kGpu:
        return uint64_t{1} << 32 | text(tables.gpu.name[event.row]);  // shown by the short name
      case EventTable::kGap:
        return uint64_t{2} << 32 | static_cast<uint64_t>(profile_.facts.gaps.cause[event.row]);
      case EventTable::kIteration:
        return uint64_t{3} << 32 | event.row;
      case EventTable::kStretch:
        return uint64_t{4} << 32;  // all have the same name
      case EventTable::kAnnotation:
        break;
    }
    return text(tables.gpu_annotations.name[event.row]);
  }

  void Add(std::string_view name) {
    bytes_ += name.size() <= kLongestName ? std::string(name) : Shorten(name, kLongestName);
    ends_.push_back(static_cast<uint32_t>(bytes_.size()));
  }

  ProfileView profile_;
  HashMap<uint64_t, uint32_t> index_;
  uint64_t last_key_ = UINT64_MAX;
  uint32_t last_index_ = 0;
  std::vector<uint32_t> ends_;
  std::string bytes_;
};

struct TileRow {
  uint32_t lane, depth, first, count;
};
struct ValueRow {
  uint32_t lane, count;
};
static_assert(sizeof(TileRow) == 16 && sizeof(ValueRow) == 8);

class TileMaker {
 public:
  TileMaker(const Timeline& timeline, ProfileView profile, int level, int64_t index)
      : timeline_(timeline),
        names_(profile),
        bucket_log_(timeline.max_level() - level),
        from_(index << (bucket_log_ + Timeline::kBucketsLog)),
        to_((index + 1) << (bucket_log_ + Timeline::kBucketsLog)) {}

  void AddSlices(uint32_t lane, const SliceLane& slices) {
    for (size_t row = 0; row < slices.row_count(); ++row) {
      const size_t first = slices_.size();
      slices.AppendSlices(row, from_, to_, bucket_log_, slices_);
      if (slices_.size() == first) continue;
      rows_.push_back({lane, static_cast<uint32_t>(row), static_cast<uint32_t>(first),
                       static_cast<uint32_t>(slices_.size() - first)});
    }
  }

  void AddValues(uint32_t lane, const StepFunction& values) {
    value_rows_.push_back({lane, static_cast<uint32_t>(Timeline::kBuckets)});
    const size_t first = values_.size();
    values_.resize(first + Timeline::kBuckets);
    values.Averages(from_, DurationNs{1} << bucket_log_, timeline_.end(),
                    std::span(values_).subspan(first));
  }

  std::string Finish() {
    std::vector<uint32_t> names(slices_.size());
    for (size_t i = 0; i < slices_.size(); ++i) names[i] = names_.IndexOf(slices_[i].event);
    // Each padding takes at most 8 bytes.
    bytes_.reserve(64 + rows_.size() * sizeof(TileRow) + value_rows_.size() * sizeof(ValueRow) +
                   slices_.size() * 34 + values_.size() * sizeof(float) +
                   names_.ends().size() * sizeof(uint32_t) + names_.bytes().size());
    Append(std::array{
        kMagic, static_cast<uint32_t>(rows_.size()), static_cast<uint32_t>(slices_.size()),
        static_cast<uint32_t>(value_rows_.size()), static_cast<uint32_t>(names_.ends().size())});
    Append(rows_);
    Append(value_rows_);
    Pad(8);
    AppendColumn<double>([](const Slice& s) { return static_cast<double>(s.start); });
    AppendColumn<double>([](const Slice& s) { return static_cast<double>(s.end - s.start); });
    AppendColumn<uint32_t>([](const Slice& s) { return s.event.row; });
    Append(names);
    AppendColumn<uint32_t>([](const Slice& s) { return s.count; });
    AppendColumn<float>([](const Slice& s) { return s.cover; });
    AppendColumn<uint8_t>([](const Slice& s) { return static_cast<uint8_t>(s.category); });
    AppendColumn<uint8_t>([](const Slice& s) { return static_cast<uint8_t>(s.event.table); });
    Pad(4);
    Append(values_);
    Append(names_.ends());
    bytes_ += names_.bytes();
    return std::move(bytes_);
  }

 private:
  template <typename Values>
  void Append(const Values& values) {
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
  }

  template <typename T, typename Get>
  void AppendColumn(Get get) {
    const size_t at = bytes_.size();
    bytes_.resize(at + slices_.size() * sizeof(T));
    char* to = bytes_.data() + at;
    for (const Slice& slice : slices_) {
      const T value = get(slice);
      std::memcpy(to, &value, sizeof(T));
      to += sizeof(T);
    }
  }

  void Pad(size_t unit) { bytes_.resize((bytes_.size() + unit - 1) / unit * unit); }

  const Timeline& timeline_;
  TileNames names_;
  int bucket_log_;
  TimeNs from_, to_;
  std::vector<TileRow> rows_;
  std::vector<ValueRow> value_rows_;
  std::vector<Slice> slices_;
  std::vector<float> values_;
  std::string bytes_;
};

}  // namespace

Result<std::string> Tile(const Timeline& timeline, ProfileView profile, const RangeSummary& range,
                         int64_t level, int64_t index, std::span<const uint32_t> lanes) {
  if (level < 0 || level > timeline.max_level()) {
    return Error(
        fmt::format("there is no level {}: levels are 0 to {}", level, timeline.max_level()),
        "unknown-tile");
  }
  if (index < 0 || index >= int64_t{1} << level) {
    return Error(fmt::format("there is no tile {} in level {}: its tiles are 0 to {}", index, level,
                             (int64_t{1} << level) - 1),
                 "unknown-tile");
  }
  const size_t lane_count = timeline.lanes().size();
  TileMaker tile(timeline, profile, static_cast<int>(level), index);
  std::vector<SliceLane> iterations;
  std::vector<bool> done(lane_count);
  for (size_t i = 0; i < (lanes.empty() ? lane_count : lanes.size()); ++i) {
    const uint32_t id = lanes.empty() ? static_cast<uint32_t>(i) : lanes[i];
    if (id >= lane_count) {
      return Error(fmt::format("there is no lane {}: lanes are 0 to {}", id, lane_count - 1),
                   "unknown-lane");
    }
    if (done[id]) continue;
    done[id] = true;
    const Lane& lane = timeline.lanes()[id];
    switch (lane.kind) {
      case LaneKind::kIterations:
        if (iterations.empty()) iterations = IterationLanes(timeline, profile, range);
        tile.AddSlices(id, iterations[lane.of]);
        break;
      case LaneKind::kUtilization:
      case LaneKind::kQueue:
        tile.AddValues(id, lane.values);
        break;
      case LaneKind::kGaps:
      case LaneKind::kStream:
      case LaneKind::kThread:
        tile.AddSlices(id, lane.slices);
        break;
    }
  }
  return tile.Finish();
}

}  // namespace warpsight
