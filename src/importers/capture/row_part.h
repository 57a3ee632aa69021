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

// What the records of a file have in common.
struct FileFacts {
  SourceId source;
  std::string pid;
  Texts texts;
};

// The rows made from some of the records. Used by one thread.
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

  // Sets the offset of the frame that contains the following records; kMissing: they concern the
  // whole file.
  void SetOffset(int64_t offset) { offset_ = offset; }
  void Log(std::string_view code, std::string_view message) { part_.Log(code, offset_, message); }

  // A text by its number, with invalid UTF-8 repaired. If the number is unknown, this is logged,
  // and the text is "".
  StringId Text(int64_t number);
  // The bytes of a text; nullopt if the number is unknown, which is logged.
  std::optional<std::string_view> Bytes(int64_t number);

  ProcessId Process() { return part_.Process(file_.pid); }
  ThreadId Thread(int64_t tid);
  // The thread id behind an id that Thread() returned; 0 for other lanes.
  int64_t TidOf(ThreadId thread) const;
  StreamId Stream(int64_t device, int64_t context, int64_t stream);

  // Whether these can be the times of a slice.
  static bool AreTimes(int64_t start, int64_t end);
  // The times as start and duration; nullopt if they are invalid, which is logged.
  std::optional<Times> TimesOf(int64_t start, int64_t end);
  bool IsTime(int64_t time);
  // The number if it is within [low, high]; otherwise missing, which is logged.
  int64_t Within(int64_t low, int64_t value, int64_t high);

  // The earliest and the latest time passed to the functions above; kMissing if there was none.
  TimeNs earliest() const { return earliest_; }
  TimeNs latest() const { return latest_; }

  // Results of gpu_rows and host_rows by number of a text.
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
