#include "importers/nsys/nvtx_table.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/utf8.h"
#include "importers/api/nvtx_ranges.h"

namespace warpsight::importers::nsys {
namespace {

enum EventType : int64_t {
  kMark = 34,
  kPushPop = 59,
  kStartEnd = 60,
  kDomainCreate = 75,
  // The same types for events from NVTX files that were imported into the recording.
  kImportedMark = 65,
  kImportedPushPop = 70,
  kImportedStartEnd = 71,
};

// The list for events of this type; null if they are not needed.
std::vector<NvtxRows::Range>* ListOf(int64_t type, NvtxRows& rows) {
  switch (type) {
    case kPushPop:
    case kImportedPushPop:
      return &rows.nested;
    case kStartEnd:
    case kImportedStartEnd:
      return &rows.started;
    case kMark:
    case kImportedMark:
      return &rows.marks;
    default:
      return nullptr;
  }
}

// Start/end ranges need not nest and may end on another thread, so they have a separate lane.
constexpr std::string_view kStartEndLane = "NVTX start/end";

// `time`, or a time before all others if it is damaged.
TimeNs SoundTime(int64_t time) {
  return time > -kLatestTime && time < kLatestTime ? time : INT64_MIN;
}

// A range without an end lasts until the last NVTX event, as in Nsight Systems.
TimeNs EndOf(const NvtxRows::Range& range, TimeNs latest) {
  return range.end == kMissing ? std::max(range.start, latest) : range.end;
}

NvtxRange RangeOf(const NvtxRows::Range& range, const NvtxContext& context, TablePart& part) {
  return {range.start,
          EndOf(range, context.latest),
          part.Thread(range.global_tid),
          range.text,
          context.domains.NameOf(range.global_tid, range.domain),
          range.domain == 0};
}

void AddStartEnd(const NvtxRows::Range& range, const NvtxContext& context, TablePart& part,
                 NvtxRanges& rows) {
  const ThreadId lane = part.part().Thread(std::to_string(PidOf(range.global_tid)), kStartEndLane);
  NvtxRange started = RangeOf(range, context, part);
  if (range.ended_elsewhere) started.thread = lane;
  if (part.facts().domain_kinds.empty()) return rows.AddStartEnd(started, lane);
  started.thread = lane;
  rows.AddOther(started, HostKind::kAnnotation);
}

void AddMark(TablePart& part, const NvtxRows::Range& mark, std::string_view name) {
  InstantsTable& t = part.tables().instants;
  t.time.push_back(mark.start);
  t.name.push_back(part.part().Intern(name));
  t.category.push_back(part.part().Intern("NVTX"));
  t.thread.push_back(part.Thread(mark.global_tid));
  t.args.push_back(StringId::kEmpty);
}

// The position of a text in `texts`. It becomes a view after all texts were added, since `texts`
// moves while it grows.
struct KeptText {
  std::vector<NvtxRows::Range>* list;
  size_t range;
  size_t offset, size;
};

std::optional<HostKind> KindOf(const NvtxRows::Range& range, const DomainKinds& kinds) {
  const auto kind = kinds.find(range.domain);
  return kind == kinds.end() ? std::nullopt : std::optional(kind->second);
}

void AddPushPop(const NvtxRows::Range& range, const NvtxContext& context, TablePart& part,
                NvtxRanges& rows) {
  if (const auto kind = KindOf(range, part.facts().domain_kinds)) {
    rows.AddOther(RangeOf(range, context, part), *kind);
  } else {
    rows.Add(RangeOf(range, context, part));
  }
}

}  // namespace

NvtxRows ReadNvtx(const SqliteDatabase& database, std::string_view rows, TablePart& part) {
  enum { kStart, kEnd, kType, kTid, kText, kTextId, kDomain, kEndTid };
  const auto events = database.Select(
      part.table(),
      {"start", "end", "eventType", "globalTid", "text", "textId", "domainId", "endGlobalTid"},
      rows);
  NvtxRows result;
  std::vector<KeptText> kept;
  std::string repaired;
  while (part.Next(*events)) {
    const int64_t type = events->Integer(kType);
    const int64_t tid = events->Integer(kTid);
    const int64_t domain = events->Integer(kDomain);
    const bool shared = events->IsNull(kText);
    const std::string_view text = shared ? part.SharedText(events->Integer(kTextId))
                                         : ValidUtf8(events->Text(kText), repaired);
    if (type == kDomainCreate) result.domains.Add(tid, domain, text);
    std::vector<NvtxRows::Range>* list = ListOf(type, result);
    if (list == nullptr) {
      result.latest = std::max(result.latest, SoundTime(events->IntegerOr(kStart, kMissing)));
      continue;
    }
    const bool open = list == &result.marks || events->IsNull(kEnd);
    const auto times = part.TimesAt(*events, kStart, open ? kStart : kEnd);
    if (!times) continue;
    const TimeNs end = times->start + times->duration;
    result.latest = std::max(result.latest, end);
    result.nesting_matters =
        result.nesting_matters || text.starts_with("{'") || text.starts_with("XlaModule:#");
    if (!shared) {
      kept.push_back({list, list->size(), result.texts->size(), text.size()});
      *result.texts += text;
    }
    list->push_back({times->start, open ? kMissing : end, tid, text, domain,
                     !events->IsNull(kEndTid) && events->Integer(kEndTid) != tid});
  }
  for (const KeptText& text : kept) {
    (*text.list)[text.range].text = std::string_view(*result.texts).substr(text.offset, text.size);
  }
  return result;
}

void AddNvtxRows(const std::vector<NvtxRows*>& blocks, const NvtxContext& context,
                 TablePart& part) {
  NvtxRanges rows(part.part());
  std::vector<const NvtxRows::Range*> nested;
  for (const NvtxRows* block : blocks) {
    for (const NvtxRows::Range& range : block->nested) nested.push_back(&range);
    for (const NvtxRows::Range& range : block->started) AddStartEnd(range, context, part, rows);
    for (const NvtxRows::Range& mark : block->marks) {
      AddMark(part, mark,
              NvtxName(mark.text, context.domains.NameOf(mark.global_tid, mark.domain)));
    }
  }
  std::stable_sort(nested.begin(), nested.end(), [&](const auto* a, const auto* b) {
    return std::tuple(a->start, -EndOf(*a, context.latest)) <
           std::tuple(b->start, -EndOf(*b, context.latest));
  });
  for (const NvtxRows::Range* range : nested) AddPushPop(*range, context, part, rows);
}

}  // namespace warpsight::importers::nsys
