#include "importers/chrome/record_scanner.h"

#include <fmt/format.h>

#include "importers/chrome/json_text.h"

namespace warpsight::importers::chrome {
namespace {

// A record that is still open after so much text is taken for damaged.
constexpr size_t kLargestRecord = 64 * 1024 * 1024;
// Damaged text is searched for the next record at most so often per byte of it, which keeps hostile
// nesting from taking quadratic time.
constexpr size_t kScanBudget = 16;
constexpr size_t kLargestRest = 64 * 1024 * 1024;

}  // namespace

bool RecordScanner::ReadRecord(std::string_view text, size_t pos, size_t end, int64_t offset,
                               BlockRows& rows) {
  RawEvent event;
  std::string reason;
  const std::string_view record = text.substr(pos, end - pos);
  if (!parser_.ParseOne(record, &event, &reason)) {
    rows.part.Log("bad_record", offset + static_cast<int64_t>(pos), reason);
    ++rows.events;
    return false;
  }
  RowMaker(rows, record, offset + static_cast<int64_t>(pos)).Add(event);
  return true;
}

void RecordScanner::Feed(std::string_view text, int64_t offset, bool last, BlockRows& rows) {
  if (array_ended_) {
    if (rest_.size() + text.size() <= kLargestRest) rest_.append(text);
    return;
  }
  std::string joined;
  if (!carry_.empty()) {
    joined = std::move(carry_);
    joined.append(text);
    text = joined;
    offset = carry_offset_;
    carry_.clear();
  }
  size_t budget = text.size() * kScanBudget + kLargestRecord;
  size_t pos = 0;
  const auto at = [&](size_t p) { return offset + static_cast<int64_t>(p); };
  while (pos < text.size()) {
    if (text[pos] <= ' ' || text[pos] == ',') {
      ++pos;
      continue;
    }
    if (text[pos] == ']') {
      array_ended_ = true;
      rest_ = text.substr(pos + 1, kLargestRest);
      return;
    }
    size_t resume = pos + 1;
    if (text[pos] == '{') {
      const size_t end = FindValueEnd(text, pos);
      if (end == std::string_view::npos) {
        if (!last && text.size() - pos < kLargestRecord) {
          carry_ = text.substr(pos);
          carry_offset_ = at(pos);
          return;
        }
        if (FindRecordStart(text, pos + 1) == std::string_view::npos) break;
        rows.part.Log("bad_record", at(pos), "the record is not closed");
        ++rows.events;
        budget -= std::min(budget, text.size() - pos);
      } else if (ReadRecord(text, pos, end, offset, rows)) {
        pos = end;
        continue;
      } else {
        budget -= std::min(budget, end - pos);
      }
    } else {
      rows.part.Log("unexpected_text", at(pos),
                    fmt::format("expected a record, found '{}'", text[pos]));
    }
    const size_t next = budget > 0 ? FindRecordStart(text, resume) : std::string_view::npos;
    if (next == std::string_view::npos) {
      // Nothing that looks like a record: the array's end may still follow.
      const size_t close = text.find(']', resume);
      if (budget == 0 || close == std::string_view::npos) {
        if (budget == 0) rows.part.Log("gave_up", at(pos), "too much damage; the rest was not read");
        pos = text.size();
        if (last) rows.part.Log("truncated", at(text.size()), "the file ends inside traceEvents");
        return;
      }
      pos = close;
      continue;
    }
    pos = next;
  }
  if (last) {
    rows.part.Log("truncated", at(pos),
                  pos < text.size() ? "the file ends inside a record; it was left out"
                                    : "the file ends inside traceEvents");
  }
}

}  // namespace warpsight::importers::chrome
