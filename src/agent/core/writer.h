#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "agent/core/capture_file.h"
#include "agent/core/text_table.h"
#include "agent/core/thread_log.h"
#include "wire/records.h"

namespace warpsight::agent {

// Collects records and writes them as frames. One thread uses it.
class Writer {
 public:
  // `next_text`: the number for the next new text of the process. `give_up` is called once, when
  // the file cannot be written any further.
  Writer(std::atomic<uint32_t>& next_text, CaptureFile& file, std::function<void()> give_up)
      : next_text_(next_text), file_(file), give_up_(std::move(give_up)) {}

  template <typename Record>
  void Add(const Record& record) {
    std::get<std::vector<Record>>(rows_).push_back(record);
    ++waiting_;
  }
  // The number of a text of the writer's own.
  int64_t Text(std::string_view text);
  // A text with its number.
  void AddText(uint64_t number, std::string_view text);
  // The records of a thread, and how many were lost since the last call.
  void Take(ThreadLog& log);
  // All threads were heard.
  void TookAll(TimeNs now) { last_take_ = now; }

  // Writes frames: all that waits, or only where it is worth it.
  void Flush();
  bool Waiting() const { return waiting_ > 0 || !texts_.empty(); }
  size_t waiting() const { return waiting_; }
  // The program came to its end.
  void End();

 private:
  struct NumberedText {
    uint64_t number;
    std::string text;
  };

  template <typename Record>
  void WriteRows(std::vector<Record>& rows);
  void WriteTexts();
  void TakeEntry(const Ring::Entry& entry);
  template <typename Record>
  bool AddEntry(const Ring::Entry& entry);
  void Fail();

  std::atomic<uint32_t>& next_text_;
  CaptureFile& file_;
  std::function<void()> give_up_;
  TextTable own_texts_;
  std::vector<NumberedText> texts_;
  wire::RecordLists rows_;
  size_t waiting_ = 0;
  bool gave_up_ = false;
  TimeNs last_take_ = Now();
  std::string payload_;  // reused
};

}  // namespace warpsight::agent
