#include "importers/capture/range_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include "importers/api/nvtx_ranges.h"
#include "model/hash_map.h"
#include "tbb/parallel_sort.h"

namespace warpsight::importers::capture {
namespace {

using wire::RangeKind;
using wire::RangeRecord;

// Start/end ranges need not nest and may end on another thread, so they have a separate lane.
constexpr std::string_view kStartEndLane = "NVTX start/end";

// Sets the end of ranges that were still open. A range that was written again when it ended counts
// once.
void EndOpenRanges(std::vector<RangeRecord>& ranges, TimeNs end_of_recording, RowPart& rows) {
  const auto is_open = [](const RangeRecord& range) { return range.end == 0; };
  if (std::none_of(ranges.begin(), ranges.end(), is_open)) return;
  const auto key = [&](const RangeRecord& range) {
    return std::tuple(range.thread, range.start, range.kind, rows.Text(range.name));
  };
  HashSet<std::tuple<int64_t, int64_t, int64_t, StringId>> seen;
  for (const RangeRecord& range : ranges) {
    if (is_open(range)) continue;
    seen.insert(key(range));
    if (rows.AreTimes(range.start, range.end)) {
      end_of_recording = std::max(end_of_recording, range.end);
    }
  }
  std::erase_if(ranges, [&](const RangeRecord& range) {
    return is_open(range) && !seen.insert(key(range)).second;
  });
  for (RangeRecord& range : ranges) {
    if (is_open(range)) range.end = std::max(range.start, end_of_recording);
  }
}

class RangeAdder {
 public:
  explicit RangeAdder(RowPart& rows) : rows_(rows), nvtx_(rows.part()) {}

  void Add(const RangeRecord& range) {
    const auto times = rows_.TimesOf(range.start, range.end);
    if (!times) return;
    TracePart& part = rows_.part();
    const std::string_view text = part.strings.View(rows_.Text(range.name));
    const std::string_view domain = part.strings.View(rows_.Text(range.domain));
    const NvtxRange row{
        times->start,  times->start + times->duration, rows_.Thread(range.thread), text, domain,
        domain.empty()};
    switch (static_cast<RangeKind>(range.kind)) {
      case RangeKind::kPushed:
        return nvtx_.Add(row);
      case RangeKind::kStarted:
        return AddStarted(row);
      case RangeKind::kModule:
        return nvtx_.AddNamed(row, HostKind::kModule);
      case RangeKind::kStep: {
        NvtxRange step = row;
        const std::string name = fmt::format("ProfilerStep#{}", text);
        step.text = name;
        return nvtx_.AddNamed(step, HostKind::kAnnotation);
      }
      case RangeKind::kAnnotated:
        return nvtx_.AddNamed(row, HostKind::kAnnotation);
    }
    rows_.Log("unknown_kind", "a range of unknown kind; treated as an annotation");
    nvtx_.AddNamed(row, HostKind::kAnnotation);
  }

 private:
  // The thread on which it ended was not recorded.
  void AddStarted(NvtxRange range) {
    const ThreadId lane = rows_.part().Thread(rows_.file().pid, kStartEndLane);
    range.thread = lane;
    nvtx_.AddStartEnd(range, lane);
  }

  RowPart& rows_;
  NvtxRanges nvtx_;
};

}  // namespace

void AddRanges(std::vector<RangeRecord> ranges, TimeNs end_of_recording, RowPart& rows) {
  EndOpenRanges(ranges, end_of_recording, rows);
  // Enclosing ranges first, since markers of PyProf and XLA apply to the ranges inside them.
  tbb::parallel_sort(ranges.begin(), ranges.end(), [](const RangeRecord& a, const RangeRecord& b) {
    return std::tuple(a.start, b.end, a.thread, a.kind, a.name) <
           std::tuple(b.start, a.end, b.thread, b.kind, b.name);
  });
  RangeAdder adder(rows);
  for (const RangeRecord& range : ranges) adder.Add(range);
}

void AddMark(const wire::MarkRecord& record, RowPart& rows) {
  if (!rows.IsTime(record.time)) return;
  TracePart& part = rows.part();
  const StringId name = rows.Text(record.name);
  InstantsTable& t = part.tables.instants;
  t.time.push_back(record.time);
  t.name.push_back(
      part.Intern(NvtxName(part.strings.View(name), part.strings.View(rows.Text(record.domain)))));
  t.category.push_back(part.Intern("NVTX"));
  t.thread.push_back(rows.Thread(record.thread));
}

}  // namespace warpsight::importers::capture
