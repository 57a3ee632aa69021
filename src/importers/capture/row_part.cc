#include "importers/capture/row_part.h"

#include <algorithm>

#include "base/utf8.h"
#include "importers/api/bounds.h"

namespace warpsight::importers::capture {
namespace {

// Times beyond this are treated as damage.
constexpr int64_t kLatestTime = int64_t{1} << 61;

}  // namespace

std::optional<std::string_view> RowPart::Bytes(int64_t number) {
  const auto bytes = file_.texts.Find(number);
  if (!bytes) Log("unknown_text", "a record refers to a text that is not in the file");
  return bytes;
}

StringId RowPart::Text(int64_t number) {
  return texts_.Get(number, [&](int64_t unseen) {
    const auto bytes = Bytes(unseen);
    return bytes ? part_.Intern(ValidUtf8(*bytes, repaired_)) : StringId::kEmpty;
  });
}

ThreadId RowPart::Thread(int64_t tid) {
  return threads_.Get(tid, [&](int64_t unseen) {
    const ThreadId thread = part_.Thread(file_.pid, std::to_string(unseen));
    tids_.resize(std::max(tids_.size(), Index(thread) + 1));
    tids_[Index(thread)] = unseen;
    return thread;
  });
}

int64_t RowPart::TidOf(ThreadId thread) const {
  return Index(thread) < tids_.size() ? tids_[Index(thread)] : 0;
}

StreamId RowPart::Stream(int64_t device, int64_t context, int64_t stream) {
  const std::array<int64_t, 3> key{device, context, stream};
  if (!IsSet(stream_) || key != stream_key_) {
    stream_ = part_.Stream(device, context, stream, Process());
    stream_key_ = key;
  }
  return stream_;
}

bool RowPart::AreTimes(int64_t start, int64_t end) {
  return start > 0 && start <= kLatestTime && end > 0 && end <= kLatestTime &&
         end - start <= kLongestSlice;
}

std::optional<RowPart::Times> RowPart::TimesOf(int64_t start, int64_t end) {
  if (!AreTimes(start, end)) {
    Log("bad_time", "a record has no valid start and end; it was left out");
    return std::nullopt;
  }
  if (end < start)
    Log("negative_duration", "a record ends before it starts; its duration was set to 0");
  Saw(start);
  Saw(std::max(start, end));
  return Times{start, std::max<DurationNs>(0, end - start)};
}

bool RowPart::IsTime(int64_t time) {
  if (time > 0 && time <= kLatestTime) {
    Saw(time);
    return true;
  }
  Log("bad_time", "a record has an invalid time; it was left out");
  return false;
}

int64_t RowPart::Within(int64_t low, int64_t value, int64_t high) {
  return warpsight::Within(low, value, high, part_, offset_);
}

void RowPart::Saw(TimeNs time) {
  earliest_ = earliest_ == kMissing ? time : std::min(earliest_, time);
  latest_ = latest_ == kMissing ? time : std::max(latest_, time);
}

}  // namespace warpsight::importers::capture
