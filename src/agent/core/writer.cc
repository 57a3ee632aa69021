#include "agent/core/writer.h"

#include <algorithm>
#include <cstring>

#include "wire/rows.h"

namespace warpsight::agent {

int64_t Writer::Text(std::string_view text) {
  if (text.empty()) return 0;
  const auto found = own_texts_.Number(text, [this] { return next_text_.fetch_add(1); });
  if (found.is_new) AddText(found.number, text);
  return found.number;
}

void Writer::AddText(uint64_t number, std::string_view text) {
  texts_.push_back({number, std::string(text)});
}

template <typename Record>
bool Writer::AddEntry(const Ring::Entry& entry) {
  if (entry.tag != static_cast<uint32_t>(Record::kType)) return false;
  Record record;
  std::memcpy(&record, entry.data, sizeof(record));
  Add(record);
  return true;
}

void Writer::TakeEntry(const Ring::Entry& entry) {
  if (entry.tag == ThreadLog::kText) {
    AddText(entry.data[0], {reinterpret_cast<const char*>(entry.data + 2), entry.data[1]});
    return;
  }
  std::apply([&]<typename... Records>(
                 const std::vector<Records>&...) { (AddEntry<Records>(entry) || ...); },
             rows_);
}

void Writer::Take(ThreadLog& log) {
  log.ring().Drain([this](const Ring::Entry& entry) { TakeEntry(entry); });
  if (const uint64_t lost = log.lost.exchange(0, std::memory_order_relaxed); lost > 0) {
    Add(wire::GapRecord{last_take_, Now(), log.thread(), static_cast<int64_t>(lost),
                        ThreadLog::kRingFull});
  }
}

template <typename Record>
void Writer::WriteRows(std::vector<Record>& rows) {
  constexpr size_t kMostRows = size_t{1} << 15U;
  for (size_t first = 0; first < rows.size(); first += kMostRows) {
    const std::span part =
        std::span<const Record>(rows).subspan(first, std::min(kMostRows, rows.size() - first));
    wire::FrameHeader header;
    header.type = static_cast<uint16_t>(wire::FrameType::kRecords);
    header.record = static_cast<uint16_t>(Record::kType);
    header.rows = static_cast<uint32_t>(part.size());
    // The first field of what happens in time is its time.
    const auto time_of = [](const Record& row) {
      int64_t time = 0;
      std::memcpy(&time, &row, sizeof(time));
      return time;
    };
    header.first = time_of(part.front());
    header.last = header.first;
    for (const Record& row : part) {
      header.first = std::min(header.first, time_of(row));
      header.last = std::max(header.last, time_of(row));
    }
    payload_.clear();
    wire::EncodeRows(part, payload_);
    file_.Append(header, payload_);
  }
  rows.clear();
}

void Writer::WriteTexts() {
  // Numbers of one frame follow each other; those of several threads come mixed.
  std::ranges::sort(texts_, {}, &NumberedText::number);
  for (size_t first = 0; first < texts_.size();) {
    std::vector<std::string> run;
    size_t next = first;
    while (next < texts_.size() && texts_[next].number == texts_[first].number + (next - first)) {
      run.push_back(std::move(texts_[next].text));
      ++next;
    }
    wire::FrameHeader header;
    header.type = static_cast<uint16_t>(wire::FrameType::kStrings);
    header.rows = static_cast<uint32_t>(run.size());
    payload_.clear();
    wire::EncodeStrings(texts_[first].number, run, payload_);
    file_.Append(header, payload_);
    first = next;
  }
  texts_.clear();
}

void Writer::Flush() {
  WriteTexts();
  std::apply([&](auto&... rows) { (WriteRows(rows), ...); }, rows_);
  waiting_ = 0;
  if (file_.failed() && !gave_up_) Fail();
}

void Writer::Fail() {
  gave_up_ = true;
  give_up_();
  const TimeNs now = Now();
  const int64_t number = next_text_.fetch_add(1);
  const std::string reason = std::string(wire::kCutShort) + ": " + file_.failure();
  wire::FrameHeader header;
  header.type = static_cast<uint16_t>(wire::FrameType::kStrings);
  header.rows = 1;
  payload_.clear();
  wire::EncodeStrings(static_cast<uint64_t>(number), std::span(&reason, 1), payload_);
  if (!file_.AppendAfterFailure(header, payload_)) return;
  const wire::GapRecord gap{now, 0, 0, -1, number};
  header = {};
  header.type = static_cast<uint16_t>(wire::FrameType::kRecords);
  header.record = static_cast<uint16_t>(wire::GapRecord::kType);
  header.rows = 1;
  header.first = header.last = now;
  payload_.clear();
  wire::EncodeRows(std::span(&gap, 1), payload_);
  file_.AppendAfterFailure(header, payload_);
}

void Writer::End() {
  Flush();
  wire::FrameHeader header;
  header.type = static_cast<uint16_t>(wire::FrameType::kEnd);
  header.first = header.last = Now();
  file_.Append(header, {});
}

}  // namespace warpsight::agent
