#include "importers/nsys/nvtx_table.h"

#include <algorithm>
#include <tuple>

#include "importers/api/nvtx_ranges.h"
#include "importers/api/utf8.h"

namespace warpsight::importers::nsys {
namespace {

enum EventType : int64_t {
  kMark = 34,
  kPushPop = 59,
  kStartEnd = 60,
  // The same from files of NVTX events that were imported into the recording.
  kImportedMark = 65,
  kImportedPushPop = 70,
  kImportedStartEnd = 71,
};

// Start/end ranges need not nest and may end on another thread, so they have a lane of their own.
constexpr std::string_view kStartEndLane = "NVTX start/end";

void AddStartEnd(TablePart& part, TablePart::Times times, int64_t global_tid,
                 std::string_view text) {
  TracePart& rows = part.part();
  Add(HostRow{times.start, times.duration, rows.Intern(text),
              rows.Thread(std::to_string(PidOf(global_tid)), kStartEndLane), HostKind::kAnnotation},
      rows);
}

void AddMark(TablePart& part, TimeNs time, int64_t global_tid, std::string_view text) {
  InstantsTable& t = part.tables().instants;
  t.time.push_back(time);
  t.name.push_back(part.part().Intern(text));
  t.category.push_back(part.part().Intern("NVTX"));
  t.thread.push_back(part.Thread(global_tid));
  t.args.push_back(StringId::kEmpty);
}

std::optional<HostKind> KindOf(const SqliteRows& rows, int domain, const DomainKinds& kinds) {
  if (kinds.empty()) return std::nullopt;
  const auto kind = kinds.find(rows.Integer(domain));
  return kind == kinds.end() ? std::nullopt : std::optional(kind->second);
}

// Keeps a text of the current row; its place in `texts` becomes a view once all are there.
struct KeptText {
  size_t range;
  size_t offset, size;
};

}  // namespace

std::string WithoutTslMetadata(std::string_view text) {
  if (!text.ends_with('#')) return std::string(text);
  const size_t begin = text.find('#');
  const std::string_view metadata = text.substr(begin + 1, text.size() - begin - 2);
  if (begin + 1 >= text.size() || metadata.find('=') == metadata.npos) return std::string(text);
  std::string name(text.substr(0, begin));
  constexpr std::string_view kStep = "step_num=";
  if (const size_t step = metadata.find(kStep); step != metadata.npos) {
    const std::string_view rest = metadata.substr(step + kStep.size());
    const size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
    name += '#';
    name += rest.substr(0, end);
  }
  return name;
}

NvtxRows ReadNvtx(const SqliteDatabase& database, std::string_view rows, TablePart& part) {
  enum { kStart, kEnd, kType, kTid, kText, kTextId, kDomain };
  const auto events = database.Select(
      part.table(), {"start", "end", "eventType", "globalTid", "text", "textId", "domainId"}, rows);
  NvtxRows result;
  std::vector<KeptText> kept;
  std::string repaired;
  while (part.Next(*events)) {
    const int64_t type = events->Integer(kType);
    const bool nested = type == kPushPop || type == kImportedPushPop;
    const bool mark = type == kMark || type == kImportedMark;
    if (!nested && !mark && type != kStartEnd && type != kImportedStartEnd) continue;
    const bool shared = events->IsNull(kText);
    const std::string_view text = shared ? part.SharedText(events->Integer(kTextId))
                                         : ValidUtf8(events->Text(kText), repaired);
    const auto times = part.TimesAt(*events, kStart, mark ? kStart : kEnd);
    if (!times) continue;
    const int64_t tid = events->Integer(kTid);
    if (mark) {
      AddMark(part, times->start, tid, text);
    } else if (!nested) {
      AddStartEnd(part, *times, tid, WithoutTslMetadata(text));
    } else {
      const auto kind = KindOf(*events, kDomain, part.facts().domain_kinds);
      result.has_pyprof = result.has_pyprof || (!kind && text.starts_with("{'"));
      if (!shared) {
        kept.push_back({result.nested.size(), result.texts->size(), text.size()});
        *result.texts += text;
      }
      result.nested.push_back({times->start, times->start + times->duration, tid, text, kind});
    }
  }
  for (const KeptText& text : kept) {
    result.nested[text.range].text = std::string_view(*result.texts).substr(text.offset, text.size);
  }
  return result;
}

void AddNvtxRanges(const std::vector<NvtxRows*>& blocks, TablePart& part) {
  std::vector<const NvtxRows::Range*> ranges;
  for (const NvtxRows* block : blocks) {
    for (const NvtxRows::Range& range : block->nested) ranges.push_back(&range);
  }
  std::stable_sort(ranges.begin(), ranges.end(), [](const auto* a, const auto* b) {
    return std::tuple(a->start, -a->end) < std::tuple(b->start, -b->end);
  });
  NvtxRanges rows(part.part());
  for (const NvtxRows::Range* range : ranges) {
    const ThreadId thread = part.Thread(range->global_tid);
    if (range->kind) {
      rows.Add({range->start, range->end, thread, range->text}, *range->kind);
    } else if (range->text.ends_with('#')) {
      rows.Add({range->start, range->end, thread, WithoutTslMetadata(range->text)});
    } else {
      rows.Add({range->start, range->end, thread, range->text});
    }
  }
}

}  // namespace warpsight::importers::nsys
