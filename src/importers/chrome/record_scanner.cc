#include "importers/chrome/record_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "importers/chrome/json_text.h"

namespace warpsight::importers::chrome {
namespace {

constexpr size_t kNone = std::string_view::npos;
// A record that is still open after this much text is treated as damaged.
constexpr size_t kLargestRecord = 16 * 1024 * 1024;
// Limits the damaged text that is read in vain, relative to the size of a block. Without the limit,
// crafted nesting would take quadratic time.
constexpr size_t kScanBudget = 16;
constexpr size_t kMinBudget = 64 * 1024 * 1024;
constexpr size_t kLargestRest = 64 * 1024 * 1024;

// The ']' that seems to end traceEvents in damaged text: it follows a '}', and is followed by the
// end, by a '}', or by another field.
size_t FindArrayEnd(std::string_view text, size_t from) {
  for (size_t close = text.find(']', from); close != kNone; close = text.find(']', close + 1)) {
    size_t before = close;
    while (before > 0 && IsSpace(text[before - 1])) --before;
    if (before == 0 || text[before - 1] != '}') continue;
    const size_t after = SkipSpace(text, close + 1);
    if (after == text.size()) return close;
    if (text[after] == '}' && SkipSpace(text, after + 1) == text.size()) return close;
    if (text[after] == ',' && text.substr(SkipSpace(text, after + 1), 1) == "\"") return close;
  }
  return kNone;
}

}  // namespace

RecordScanner::Rest RecordScanner::TakeRest() {
  Rest rest = std::move(rest_);
  rest_ = {};
  array_ended_ = false;
  return rest;
}

bool RecordScanner::ReadRecord(std::string_view text, size_t pos, size_t end, int64_t offset,
                               BlockRows& rows) {
  RawEvent event;
  std::string reason;
  const std::string_view record = text.substr(pos, end - pos);
  const int64_t at = offset + static_cast<int64_t>(pos);
  if (!parser_.ParseOne(record, &event, &reason)) {
    event = {};
    std::string ignored;
    if (!parser_.ParseOne(RepairRecord(record), &event, &ignored)) {
      rows.part.Log("bad_record", at, reason);
      ++rows.events;
      return false;
    }
    rows.part.Log("repaired_record", at,
                  fmt::format("not valid JSON, but read anyway: {}", reason));
  }
  RowMaker(rows, record, at).Add(event);
  return true;
}

size_t RecordScanner::ReadValue(std::string_view text, size_t pos, int64_t offset, BlockRows& rows,
                                size_t* cost) {
  const int64_t at = offset + static_cast<int64_t>(pos);
  if (text[pos] != '{') {
    rows.part.Log("unexpected_text", at, "expected a record, found " + ShownCharacter(text[pos]));
    if (text[pos] == '}') return pos + 1;
    ++rows.events;
    if (text[pos] != '"' && text[pos] != '[') {
      return std::min(text.find_first_of(",{}[]\" \n\r\t", pos + 1), text.size());
    }
  }
  size_t broken_at = 0;
  const size_t end = FindValueEnd(text, pos, &broken_at);
  if (end == kNone || end == kBrokenString) {
    *cost = (end == kNone ? text.size() : broken_at) - pos;
    if (text[pos] == '{') {
      rows.part.Log("bad_record", at,
                    end == kNone ? "the record is not closed" : "a string is not closed");
      ++rows.events;
    }
    return kNone;
  }
  if (text[pos] != '{' || ReadRecord(text, pos, end, offset, rows)) return end;
  // If a quote is missing, the supposed record may contain several.
  *cost = end - pos;
  const size_t inner = FindRecordStart(text.substr(0, end), pos + 1);
  return inner == kNone ? end : inner;
}

void RecordScanner::Feed(const TextBlock& block, BlockRows& rows) {
  Feed(block.text(), block.offset, block.separator, block.last, rows);
}

void RecordScanner::Feed(std::string_view text, int64_t offset, std::string_view separator,
                         bool last, BlockRows& rows) {
  if (array_ended_) {
    rest_.whole = rest_.whole && rest_.text.size() + text.size() <= kLargestRest;
    if (rest_.whole) rest_.text.append(text).append(separator);
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
  size_t budget = text.size() * kScanBudget + kMinBudget;
  size_t pos = 0;
  bool damaged = false;
  const auto at = [&](size_t p) { return offset + static_cast<int64_t>(p); };
  while (pos < text.size()) {
    if (IsSpace(text[pos]) || text[pos] == ',') {
      ++pos;
      continue;
    }
    if (text[pos] == ']') {
      // After damage, it may belong to an array inside a record.
      const size_t next = damaged ? FindRecordStart(text, pos + 1) : kNone;
      if (next == kNone) {
        array_ended_ = true;
        rest_.text.assign(text.substr(pos + 1)).append(separator);
        rest_.offset = at(pos + 1);
        return;
      }
      pos = next;
      continue;
    }
    if (text[pos] == '{' && FindValueEnd(text, pos) == kNone) {
      if (!last && text.size() - pos < kLargestRecord) {
        carry_.assign(text.substr(pos)).append(separator);
        carry_offset_ = at(pos);
        return;
      }
      if (last && FindRecordStart(text, pos + 1) == kNone) {
        rows.part.Log("truncated", at(pos), "the file ends inside a record; it was left out");
        return;
      }
    }
    size_t cost = 0;
    size_t next = ReadValue(text, pos, offset, rows, &cost);
    damaged = damaged || cost > 0;
    budget -= std::min(budget, cost);
    if (budget == 0) {
      rows.part.Log("gave_up", at(pos),
                    "too much damage; the text up to the next block was not read");
      return;
    }
    if (next == kNone) next = FindRecordStart(text, pos + 1);
    // The next block begins with a record. Only in the last block the end of the array is searched.
    if (next == kNone && last) next = FindArrayEnd(text, pos + 1);
    if (next == kNone) next = text.size();
    pos = next;
  }
  if (last && !open_end_) {
    rows.part.Log("truncated", at(pos), "the file ends inside traceEvents");
  }
}

}  // namespace warpsight::importers::chrome
