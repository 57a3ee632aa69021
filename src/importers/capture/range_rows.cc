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

// Start/end ranges need not nest and may end on another thread, so they have a lane of their own.
constexpr std::string_view kStartEndLane = "NVTX start/end";

// The name of a range or mark that is none of PyTorch's: with its domain, as Nsight Systems shows
// it, "MPI:MPI_Send".
std::string FullName(StringId text_id, StringId domain_id, const TracePart& part) {
  const std::string_view text = part.strings.View(text_id);
  if (const auto tsl = xla::TslText::Parse(text)) return tsl->Name();
  const std::string_view domain = part.strings.View(domain_id);
  return domain.empty() ? std::string(text) : fmt::format("{}:{}", domain, text);
}

// Gives open ranges their end. One that was written again when it ended counts once.
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
    const StringId name = rows_.Text(range.name);
    switch (static_cast<RangeKind>(range.kind)) {
      case RangeKind::kPushed:
        return AddPushed(range, *times, name);
      case RangeKind::kStarted: {
        const ThreadId lane = part.Thread(rows_.file().pid, kStartEndLane);
        return AddRow(*times, part.Intern(FullName(name, rows_.Text(range.domain), part)), lane,
                      HostKind::kAnnotation);
      }
      case RangeKind::kModule:
        return AddRow(*times, name, rows_.Thread(range.thread), HostKind::kModule);
      case RangeKind::kStep: {
        const std::string step = fmt::format("ProfilerStep#{}", part.strings.View(name));
        return AddRow(*times, part.Intern(step), rows_.Thread(range.thread), HostKind::kAnnotation);
      }
      case RangeKind::kAnnotated:
        return AddRow(*times, name, rows_.Thread(range.thread), HostKind::kAnnotation);
    }
    rows_.Log("unknown_kind", "a range of a kind that is not known; taken for an annotation");
    AddRow(*times, name, rows_.Thread(range.thread), HostKind::kAnnotation);
  }

 private:
  void AddRow(RowPart::Times times, StringId name, ThreadId thread, HostKind kind) {
    warpsight::Add(HostRow{times.start, times.duration, name, thread, kind}, rows_.part());
  }

  void AddPushed(const RangeRecord& range, RowPart::Times times, StringId name) {
    const TracePart& part = rows_.part();
    const std::string_view text = part.strings.View(name);
    const NvtxRange pushed{times.start, times.start + times.duration, rows_.Thread(range.thread),
                           text};
    const StringId domain = rows_.Text(range.domain);
    if (domain != StringId::kEmpty && !text.ends_with('#')) {
      const std::string full = FullName(name, domain, part);
      nvtx_.Add({pushed.start, pushed.end, pushed.thread, full}, HostKind::kAnnotation);
    } else {
      nvtx_.Add(pushed);
    }
  }

  RowPart& rows_;
  NvtxRanges nvtx_;
};

}  // namespace

void AddRanges(std::vector<RangeRecord> ranges, TimeNs end_of_recording, RowPart& rows) {
  EndOpenRanges(ranges, end_of_recording, rows);
  // Enclosing ones first: what markers of PyProf and XLA say is about those inside.
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
  t.name.push_back(part.Intern(FullName(name, rows.Text(record.domain), part)));
  t.category.push_back(part.Intern("NVTX"));
  t.thread.push_back(rows.Thread(record.thread));
}

}  // namespace warpsight::importers::capture
