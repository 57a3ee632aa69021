#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "importers/chrome/raw_event.h"
#include "model/limits.h"
#include "model/trace_builder.h"

namespace warpsight::importers::chrome {

// Half of a B/E or b/e pair. Halves are paired after all blocks were read, since they may be in
// different ones.
struct OpenClose {
  char phase;
  TimeNs time;
  StringId name;  // id in the part of its block
  ThreadId thread;
  HostKind kind;
  StringId key;  // of an asynchronous pair: category and id
  StringId args;
  int64_t offset;  // of the record in the file
};

// The rows of one block.
struct BlockRows {
  explicit BlockRows(SourceId source) : part(source) {}

  TracePart part;
  std::vector<OpenClose> open_close;
  int64_t events = 0;
  int64_t phased = 0;     // events that have a phase, so that they are certainly events
  bool node_ops = false;  // some ops are nodes of a graph: see node_ops.h
};

// Converts events to rows and appends them to a BlockRows. Used by one thread.
class RowMaker {
 public:
  // `text` is the block to which the events' views refer; it begins at `offset` in the file.
  RowMaker(BlockRows& rows, std::string_view text, int64_t offset)
      : rows_(rows), part_(rows.part), text_(text), offset_(offset) {}

  void Add(const RawEvent& event);

 private:
  void AddSlice(const RawEvent& event, TimeNs time);
  void AddHost(const RawEvent& event, TimeNs time, DurationNs duration, HostKind kind);
  void AddApi(const RawEvent& event, TimeNs time, DurationNs duration, ApiKind kind);
  void AddGpu(const RawEvent& event, TimeNs time, DurationNs duration, GpuKind kind);
  void AddGpuAnnotation(const RawEvent& event, TimeNs time, DurationNs duration);
  void AddSync(const RawEvent& event, TimeNs time, DurationNs duration);
  void AddInstant(const RawEvent& event, TimeNs time);
  void AddFlow(const RawEvent& event, TimeNs time);
  void AddOpenClose(const RawEvent& event, TimeNs time);
  void AddMetadata(const RawEvent& event);
  void AddNvtx(const RawEvent& event);
  CollectiveId AddCollective(const RawEvent& event);
  HostExtraId AddHostExtra(const RawEvent& event);

  StringId Text(std::string_view escaped);
  ThreadId Lane(const RawEvent& event);
  StreamId StreamOf(const RawEvent& event);
  // All arguments as JSON, including those that have columns in other tables.
  StringId FullArgs(const RawEvent& event);
  // `value` if it is within [low, high]; otherwise it is logged and treated as missing.
  int64_t Within(int64_t low, int64_t value, int64_t high, const RawEvent& event);
  std::array<int64_t, 3> Triple(std::string_view json, const RawEvent& event);
  int64_t OffsetOf(const RawEvent& event) const;
  void Log(std::string_view code, const RawEvent& event, std::string_view message);

  BlockRows& rows_;
  TracePart& part_;
  std::string_view text_;
  int64_t offset_;
  std::string buffer_, second_buffer_;

  // Recently used lanes and streams: most events have the same ones as one of the previous events.
  struct LaneEntry {
    std::string_view pid, tid;
    ThreadId thread;
  };
  std::array<LaneEntry, 4> lanes_{};
  size_t next_lane_ = 0;
  std::array<int64_t, 3> last_stream_key_{kMissing, kMissing, kMissing};
  StreamId last_stream_ = kNone<StreamId>;
  std::string_view last_flow_category_;
  StringId last_flow_category_id_ = StringId::kEmpty;
};

}  // namespace warpsight::importers::chrome
