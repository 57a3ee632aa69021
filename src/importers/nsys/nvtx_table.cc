#include "importers/nsys/nvtx_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/utf8.h"
#include "importers/api/nvtx_ranges.h"

namespace warpsight::importers::nsys {
namespace {

enum EventType : int64_t {
  kMark = 34,
  kPushPop = 59,
  kStartEnd = 60,
  kDomainCreate = 75,
  // The same from files of NVTX events that were imported into the recording.
  kImportedMark = 65,
  kImportedPushPop = 70,
  kImportedStartEnd = 71,
};

// Where an event of this type belongs; null: nowhere.
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

// Start/end ranges need not nest and may end on another thread, so they have a lane of their own.
constexpr std::string_view kStartEndLane = "NVTX start/end";

void AddStartEnd(TablePart& part, const NvtxRows::Range& range, std::string_view name) {
  TracePart& rows = part.part();
  const std::string pid = std::to_string(PidOf(range.global_tid));
  Add(HostRow{range.start, range.end - range.start, rows.Intern(name),
              rows.Thread(pid, kStartEndLane), HostKind::kAnnotation},
      rows);
}

void AddMark(TablePart& part, const NvtxRows::Range& mark, std::string_view name) {
  InstantsTable& t = part.tables().instants;
  t.time.push_back(mark.start);
  t.name.push_back(part.part().Intern(name));
  t.category.push_back(part.part().Intern("NVTX"));
  t.thread.push_back(part.Thread(mark.global_tid));
  t.args.push_back(StringId::kEmpty);
}

// Keeps a text of a row; its place in `texts` becomes a view once all are there.
struct KeptText {
  std::vector<NvtxRows::Range>* list;
  size_t range;
  size_t offset, size;
};

// The name of a range or mark that is none of PyTorch's.
std::string FullName(const NvtxRows::Range& range, const NvtxDomains& domains) {
  if (const auto text = xla::TslText::Parse(range.text)) return text->Name();
  const std::string_view domain = domains.NameOf(range.global_tid, range.domain);
  return domain.empty() ? std::string(range.text) : fmt::format("{}:{}", domain, range.text);
}

std::optional<HostKind> KindOf(const NvtxRows::Range& range, const DomainKinds& kinds) {
  const auto kind = kinds.find(range.domain);
  return kind == kinds.end() ? std::nullopt : std::optional(kind->second);
}

void AddPushPop(const NvtxRows::Range& range, const NvtxDomains& domains, TablePart& part,
                NvtxRanges& rows) {
  const ThreadId thread = part.Thread(range.global_tid);
  if (const auto kind = KindOf(range, part.facts().domain_kinds)) {
    rows.Add({range.start, range.end, thread, range.text}, *kind);
  } else if (range.domain != 0 && !range.text.ends_with('#')) {
    rows.Add({range.start, range.end, thread, FullName(range, domains)}, HostKind::kAnnotation);
  } else {
    rows.Add({range.start, range.end, thread, range.text});
  }
}

}  // namespace

NvtxRows ReadNvtx(const SqliteDatabase& database, std::string_view rows, TablePart& part) {
  enum { kStart, kEnd, kType, kTid, kText, kTextId, kDomain };
  const auto events = database.Select(
      part.table(), {"start", "end", "eventType", "globalTid", "text", "textId", "domainId"}, rows);
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
    if (list == nullptr) continue;
    const auto times = part.TimesAt(*events, kStart, list == &result.marks ? kStart : kEnd);
    if (!times) continue;
    result.nested_in_meaning =
        result.nested_in_meaning || text.starts_with("{'") || text.starts_with("XlaModule:#");
    if (!shared) {
      kept.push_back({list, list->size(), result.texts->size(), text.size()});
      *result.texts += text;
    }
    list->push_back({times->start, times->start + times->duration, tid, text, domain});
  }
  for (const KeptText& text : kept) {
    (*text.list)[text.range].text = std::string_view(*result.texts).substr(text.offset, text.size);
  }
  return result;
}

void AddNvtxRows(const std::vector<NvtxRows*>& blocks, const NvtxDomains& domains,
                 TablePart& part) {
  std::vector<const NvtxRows::Range*> nested;
  for (const NvtxRows* block : blocks) {
    for (const NvtxRows::Range& range : block->nested) nested.push_back(&range);
    for (const NvtxRows::Range& range : block->started) {
      AddStartEnd(part, range, FullName(range, domains));
    }
    for (const NvtxRows::Range& mark : block->marks) AddMark(part, mark, FullName(mark, domains));
  }
  std::stable_sort(nested.begin(), nested.end(), [](const auto* a, const auto* b) {
    return std::tuple(a->start, -a->end) < std::tuple(b->start, -b->end);
  });
  NvtxRanges rows(part.part());
  for (const NvtxRows::Range* range : nested) AddPushPop(*range, domains, part, rows);
}

}  // namespace warpsight::importers::nsys
