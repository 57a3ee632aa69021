#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/ring.h"
#include "agent/core/text_table.h"
#include "wire/records.h"

namespace warpsight::agent {

class Session;

// The log of one thread of the program: only that thread adds records, the writer drains the ring.
// Never blocks: if the ring is full, dropped records are counted instead.
class ThreadLog {
 public:
  static constexpr uint32_t kText = 1000;  // tag: number, size in bytes, bytes
  // The text that says why something was lost here.
  static constexpr int64_t kRingFull = 1;

  // The ring of the `number`-th thread of the process. Null where there is no memory for it.
  static ThreadLog* Make(Session& session, size_t number);

  Session& session() { return session_; }
  int64_t thread() const { return thread_.load(std::memory_order_relaxed); }
  Ring& ring() { return ring_; }

  // The log becomes the calling thread's.
  void Adopt();

  template <typename Record>
  void Write(const Record& record) {
    constexpr auto kWords = static_cast<uint32_t>(sizeof(Record) / sizeof(uint64_t));
    uint64_t* entry = ring_.Reserve(static_cast<uint32_t>(Record::kType), kWords);
    if (entry == nullptr) {
      lost.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    std::memcpy(entry, &record, sizeof(record));
    Commit();
  }

  // The number of a text in the file; 0 where it could not be written.
  int64_t Text(std::string_view text);

  // Ranges of the program, each ended by the thread that began it, the latest first.
  struct OpenRange {
    TimeNs start;
    int64_t name, domain, kind;
    bool written;  // already, as an open one
  };
  bool IsOutermost(int64_t domain, wire::RangeKind kind) const {
    return CountOpen(domain, kind) == 0;
  }
  // How many of its domain and kind were open already.
  int Push(int64_t name, int64_t domain, wire::RangeKind kind);
  // The latest open one of a domain and kind; how many are left, -1 where there was none.
  int Pop(int64_t domain, wire::RangeKind kind, bool record);
  // Ops are ended by their token.
  struct OpenOp {
    wire::OpRecord record;
    uint64_t token;
  };
  void BeginOp(const wire::OpRecord& op, uint64_t token);
  void EndOp(uint64_t token);

  // Not 0: inside a call of the CUDA runtime that is recorded, so that driver calls in it are not.
  // The number is that of the recorded stretch: a call that ends in a clean one is not heard of.
  uint32_t inside_runtime = 0;
  // A node of a CUDA graph was made since the call began.
  bool captured_node = false;

  // Set by the thread's end; the log is given to another thread once it is empty.
  std::atomic<bool> finished = false;
  // How many records the thread has written.
  int64_t records() const { return records_.load(std::memory_order_relaxed); }
  // The number of dropped records; the writer records it and resets it.
  std::atomic<uint64_t> lost = 0;

 private:
  // Deeper are only ops that were ended on another thread.
  static constexpr size_t kMaxOpen = 1000;
  static constexpr size_t kLongestText = 32 * 1024;

  ThreadLog(Session& session, uint64_t* ring, size_t words)
      : session_(session), ring_(ring, words) {}

  void Commit();
  int CountOpen(int64_t domain, wire::RangeKind kind) const;
  // Periodically writes ranges that have been open for long, so that they are kept if the program
  // is killed.
  void WriteOpenRanges();

  Session& session_;
  Ring ring_;
  TextTable texts_;
  std::atomic<int64_t> thread_ = 0;
  std::atomic<int64_t> records_ = 0;
  uint32_t epoch_ = 0;
  std::vector<OpenRange> ranges_;
  std::vector<OpenOp> ops_;
};

}  // namespace warpsight::agent
