#include "importers/chrome/event_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "importers/chrome/event_parser.h"
#include "importers/chrome/json_text.h"

namespace warpsight::importers::chrome {
namespace {

constexpr size_t kHeadStep = 256 * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Records larger than this are passed on in pieces, and the scanner decides what to do with them.
constexpr size_t kLargestBlock = 32 * 1024 * 1024;
// Fields other than traceEvents that are larger than this are kept without their value.
constexpr size_t kLargestField = 16 * 1024 * 1024;
// A file with more text than this before the first record is not a trace.
constexpr size_t kLargestHead = size_t{256} << 20;

// Reads the key at text[pos]: quoted, or a bare word, which some broken writers produce. Returns
// the position after it, or what FindValueEnd returns if the text ends first or the key is broken.
size_t ReadKey(std::string_view text, size_t pos, std::string* key) {
  if (text[pos] == '"') {
    const size_t end = FindValueEnd(text, pos);
    if (end >= kBrokenString) return end;
    *key = text.substr(pos + 1, end - pos - 2);
    return end;
  }
  const size_t end = text.find_first_of(": \n\r\t,{}[]\"", pos);
  if (end == std::string_view::npos) return end;
  *key = text.substr(pos, end - pos);
  return end;
}

}  // namespace

FieldScan ScanFields(std::string_view text, size_t pos, std::vector<TopLevelField>& fields) {
  using Stop = FieldScan::Stop;
  for (;;) {
    while (pos < text.size() && (IsSpace(text[pos]) || text[pos] == ',')) ++pos;
    if (pos >= text.size()) return {Stop::kTextEnds, pos};
    if (text[pos] == '}') return {Stop::kClosed, pos};
    std::string key;
    const size_t key_end = ReadKey(text, pos, &key);
    if (key_end == std::string_view::npos) return {Stop::kTextEnds, pos};
    if (key_end == kBrokenString) return {Stop::kDamage, pos};
    size_t value = SkipSpace(text, key_end);
    if (value >= text.size()) return {Stop::kTextEnds, pos};
    if (text[value] != ':' || key.empty()) return {Stop::kDamage, pos};
    value = SkipSpace(text, value + 1);
    if (value >= text.size()) return {Stop::kTextEnds, pos};
    if (key == "traceEvents" && text[value] == '[') return {Stop::kEvents, value + 1};
    const size_t end = FindValueEnd(text, value);
    if (end == std::string_view::npos) return {Stop::kTextEnds, pos};
    if (end == kBrokenString) return {Stop::kDamage, value};
    std::string_view kept = text.substr(value, end - value);
    while (!kept.empty() && IsSpace(kept.back())) kept.remove_suffix(1);
    if (kept.size() > kLargestField) kept = "\"(too large to keep)\"";
    fields.emplace_back(std::move(key), kept);
    pos = end;
  }
}

Result<bool> EventStream::Fill() {
  if (ended_) return false;
  const size_t before = head_.size();
  head_.resize(before + std::max(std::min(kHeadStep, block_size_), before));
  auto n = bytes_.Read(head_.data() + before, head_.size() - before);
  if (!n.ok()) return n.error();
  if (*n < head_.size() - before) ended_ = true;
  head_.resize(before + *n);
  return *n > 0;
}

Status EventStream::ReadHead(std::vector<TopLevelField>& fields) {
  size_t pos = 0;
  do {
    const auto filled = Fill();
    if (!filled.ok()) return filled.error();
    pos = SkipSpace(head_, head_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  } while (!ended_ && (pos >= head_.size() || kByteOrderMark.starts_with(head_)) &&
           head_.size() < kLargestHead);
  if (pos >= head_.size()) return Error{fmt::format("{}: the file is empty", path_)};
  if (head_[pos] == '[') {
    head_.erase(0, pos + 1);
    offset_ = static_cast<int64_t>(pos + 1);
    bare_array_ = true;
    return {};
  }
  if (head_[pos] != '{') {
    return Error{fmt::format("{}: offset {}: expected a JSON object or array, found {}", path_, pos,
                             ShownCharacter(head_[pos]))};
  }
  for (;;) {
    std::vector<TopLevelField> found;
    const FieldScan scan = ScanFields(head_, pos + 1, found);
    if (scan.stop == FieldScan::Stop::kEvents) {
      fields = std::move(found);
      head_.erase(0, scan.pos);
      offset_ = static_cast<int64_t>(scan.pos);
      return {};
    }
    if (scan.stop == FieldScan::Stop::kTextEnds && head_.size() < kLargestHead) {
      const auto filled = Fill();
      if (!filled.ok()) return filled.error();
      if (*filled) continue;
    }
    std::string_view reason = "the file ends before a \"traceEvents\" array";
    if (!ended_) reason = "no \"traceEvents\" array in the first 256 MB";
    if (scan.stop == FieldScan::Stop::kClosed) reason = "no \"traceEvents\" array in the object";
    if (scan.stop == FieldScan::Stop::kDamage) reason = "expected a field of an object";
    const std::string damage = bytes_.damage();
    return Error{fmt::format("{}: offset {}: {}{}{}", path_, scan.pos, reason,
                             damage.empty() ? "" : "; ", damage)};
  }
}

std::unique_ptr<TextBlock> EventStream::NewBlock(size_t capacity) {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty() && free_.back()->capacity >= capacity) {
      auto block = std::move(free_.back());
      free_.pop_back();
      return block;
    }
  }
  auto block = std::make_unique<TextBlock>();
  block->capacity = capacity;
  // Not value-initialized, since it is overwritten with text.
  block->storage.reset(new char[capacity + 2 + kPadding]);
  return block;
}

void EventStream::Recycle(std::unique_ptr<TextBlock> block) {
  if (block->capacity > block_size_) return;  // do not keep rare large blocks
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(block));
}

Result<std::unique_ptr<TextBlock>> EventStream::Next() {
  if (finished_) return std::unique_ptr<TextBlock>();
  // A small file was already read completely and needs no full block.
  const size_t wanted = ended_ ? size_t{1} : block_size_;
  for (size_t capacity = std::max(wanted, head_.size());; capacity *= 2) {
    auto block = NewBlock(capacity);
    char* text = block->storage.get() + 1;
    std::memcpy(text, head_.data(), head_.size());
    size_t size = head_.size();
    if (!ended_ && size < capacity) {
      auto n = bytes_.Read(text + size, capacity - size);
      if (!n.ok()) return n.error();
      ended_ = *n < capacity - size;
      size += *n;
    }
    size_t comma = 0;
    const size_t next = FindLastRecordStart({text, size}, &comma);
    if (next == std::string_view::npos && !ended_ && size < kLargestBlock) {
      head_.assign(text, size);  // a single record larger than a block
      continue;
    }
    block->offset = offset_;
    block->separator.clear();
    block->last = next == std::string_view::npos && ended_;
    finished_ = block->last;
    if (next == std::string_view::npos) {
      block->size = size;
      head_.clear();
      offset_ += static_cast<int64_t>(size);
    } else {
      block->size = comma;
      block->separator.assign(text + comma, next - comma);
      head_.assign(text + next, size - next);
      offset_ += static_cast<int64_t>(next);
    }
    block->storage[0] = '[';
    block->storage[block->size + 1] = ']';
    std::memset(block->storage.get() + block->size + 2, ' ', kPadding);
    return block;
  }
}

}  // namespace warpsight::importers::chrome
