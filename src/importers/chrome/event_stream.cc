#include "importers/chrome/event_stream.h"

#include <fmt/format.h>

#include <cstring>

#include "importers/chrome/event_parser.h"
#include "importers/chrome/json_text.h"

namespace warpsight::importers::chrome {
namespace {

constexpr size_t kHeadStep = 256 * 1024;
// Large enough that cutting costs nothing, small enough to stay in a core's cache while parsed.
constexpr size_t kBlockSize = 2 * 1024 * 1024;
// Values of other fields larger than this are not kept.
constexpr size_t kLargestField = 16 * 1024 * 1024;
// More than this before the first record is not a trace.
constexpr size_t kLargestHead = size_t{1} << 30;

// The key at text[pos]: quoted, or a bare word as some broken writers leave it. Returns the position
// behind it, npos when the text ends first or no key stands there.
size_t ReadKey(std::string_view text, size_t pos, std::string* key) {
  if (text[pos] == '"') {
    const size_t end = FindValueEnd(text, pos);
    if (end == std::string_view::npos) return end;
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
  FieldScan scan;
  scan.pos = pos;
  for (;;) {
    pos = scan.pos;
    while (pos < text.size() && (text[pos] <= ' ' || text[pos] == ',')) ++pos;
    if (pos >= text.size()) {
      scan.complete = false;
      return scan;
    }
    if (text[pos] == '}' || text[pos] == ']') {
      scan.pos = pos;
      return scan;
    }
    std::string key;
    const size_t key_end = ReadKey(text, pos, &key);
    if (key_end == std::string_view::npos) {
      scan.complete = false;
      return scan;
    }
    size_t value = SkipSpace(text, key_end);
    if (value >= text.size()) {
      scan.complete = false;
      return scan;
    }
    if (text[value] != ':' || key.empty()) {  // not an object's field: stop here
      scan.pos = pos;
      return scan;
    }
    value = SkipSpace(text, value + 1);
    if (value >= text.size()) {
      scan.complete = false;
      return scan;
    }
    if (key == "traceEvents" && text[value] == '[') {
      scan.pos = value + 1;
      scan.in_events = true;
      return scan;
    }
    const size_t end = FindValueEnd(text, value);
    if (end == std::string_view::npos) {
      scan.complete = false;
      return scan;
    }
    if (end - value <= kLargestField) {
      std::string_view kept = text.substr(value, end - value);
      while (!kept.empty() && kept.back() <= ' ') kept.remove_suffix(1);
      fields.emplace_back(std::move(key), kept);
    }
    scan.pos = end;
  }
}

Result<bool> EventStream::Fill() {
  if (ended_) return false;
  const size_t before = head_.size();
  head_.resize(before + std::max(kHeadStep, before));
  auto n = bytes_.Read(head_.data() + before, head_.size() - before);
  if (!n.ok()) return n.error();
  if (*n < head_.size() - before) ended_ = true;
  head_.resize(before + *n);
  return *n > 0;
}

Status EventStream::ReadHead(std::vector<TopLevelField>& fields) {
  auto filled = Fill();
  if (!filled.ok()) return filled.error();
  size_t pos = head_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  pos = SkipSpace(head_, pos);
  if (pos >= head_.size()) return Error{fmt::format("{}: the file is empty", path_)};
  if (head_[pos] == '[') {
    head_.erase(0, pos + 1);
    offset_ = static_cast<int64_t>(pos + 1);
    return {};
  }
  if (head_[pos] != '{') {
    return Error{fmt::format("{}: offset {}: expected a JSON object or array, found '{}'", path_, pos,
                             head_[pos])};
  }
  for (;;) {
    std::vector<TopLevelField> found;
    const FieldScan scan = ScanFields(head_, pos + 1, found);
    if (scan.in_events) {
      fields = std::move(found);
      head_.erase(0, scan.pos);
      offset_ = static_cast<int64_t>(scan.pos);
      return {};
    }
    if (!scan.complete && head_.size() < kLargestHead) {
      filled = Fill();
      if (!filled.ok()) return filled.error();
      if (*filled) continue;
    }
    const std::string damage = bytes_.damage();
    return Error{fmt::format("{}: offset {}: no \"traceEvents\" array found{}{}", path_, scan.pos,
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
  // Not value-initialised: the text is read over it.
  block->storage.reset(new char[capacity + 2 + kPadding]);
  return block;
}

void EventStream::Recycle(std::unique_ptr<TextBlock> block) {
  if (block->capacity > kBlockSize) return;  // the rare large one is not worth keeping
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(block));
}

Result<std::unique_ptr<TextBlock>> EventStream::Next() {
  if (finished_) return std::unique_ptr<TextBlock>();
  for (size_t capacity = std::max(kBlockSize, head_.size());; capacity *= 2) {
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
    if (next == std::string_view::npos && !ended_) {  // one record larger than a block
      head_.assign(text, size);
      continue;
    }
    block->offset = offset_;
    if (next == std::string_view::npos) {
      block->size = size;
      block->last = true;
      finished_ = true;
    } else {
      block->size = comma;
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
