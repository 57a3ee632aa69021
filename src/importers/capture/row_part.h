#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "importers/api/bounds.h"
#include "importers/capture/by_number.h"
#include "importers/capture/texts.h"
#include "model/trace_builder.h"

namespace warpsight::importers::capture {

// What all records of a file have in common.
struct FileFacts {
  SourceId source;
  std::string pid;
  Texts texts;
};

// The rows made of some records. Used by one thread.
class RowPart {
 public:
  struct Times {
    TimeNs start;
    DurationNs duration;
  };

  explicit RowPart(const FileFacts& file) : file_(file), part_(file.source) {}
  RowPart(const RowPart&) = delete;
  RowPart& operator=(const RowPart&) = delete;

  TracePart& part() { return part_; }
  const TracePart& part() const { return part_; }
  TraceTables& tables() { return part_.tables; }
  const FileFacts& file() const { return file_; }

  // The records that follow are of the frame that begins here; kMissing: of the whole file.
  void SetOffset(int64_t offset) { offset_ = offset; }
  void Log(std::string_view code, std::string_view message) { part_.Log(code, offset_, message); }

  // A text by its number, repaired where it is not UTF-8. An unknown number is logged, and "".
  StringId Text(int64_t number);
  // The bytes of a text; nothing where the number is unknown, which is logged.
  std::optional<std::string_view> Bytes(int64_t number);

  ProcessId Process() { return part_.Process(file_.pid); }
  ThreadId Thread(int64_t tid);
  // The thread with a given id, which Thread() made; 0 for other lanes.
  int64_t TidOf(ThreadId thread) const;
  StreamId Stream(int64_t device, int64_t context, int64_t stream);

  // Whether these may be the times of a slice.
  static bool AreTimes(int64_t start, int64_t end);
  // nullopt if these are invalid times, which is logged.
  std::optional<Times> TimesOf(int64_t start, int64_t end);
  bool IsTime(int64_t time);
  // The number if it is within [low, high]; else missing, which is logged.
  int64_t Within(int64_t low, int64_t value, int64_t high);

  // The earliest and the latest time seen by the two above; kMissing where there was none.
  TimeNs earliest() const { return earliest_; }
  TimeNs latest() const { return latest_; }

  // What gpu_rows and host_rows made of numbers of texts.
  ByNumber<StringId> kernel_names, call_names;
  ByNumber<SignatureId> signatures;
  ByNumber<HostExtraId> stacks;

 private:
  void Saw(TimeNs time);

  const FileFacts& file_;
  TracePart part_;
  int64_t offset_ = kMissing;
  std::string repaired_;
  ByNumber<StringId> texts_;
  ByNumber<ThreadId> threads_;
  std::vector<int64_t> tids_;  // by ThreadId
  std::array<int64_t, 3> stream_key_{};
  StreamId stream_ = kNone<StreamId>;
  TimeNs earliest_ = kMissing, latest_ = kMissing;
};

}  // namespace warpsight::importers::capture
