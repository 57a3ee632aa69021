#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/api/output_file.h"
#include "exporters/perfetto/schema.h"
#include "model/trace.h"

namespace warpsight::exporters::perfetto {

// The arguments of slices.
enum class Arg : uint8_t {
  kCorrelation,
  kExternalId,
  kSequence,
  kInputDims,
  kInputTypes,
  kGrid,
  kBlock,
  kRegisters,
  kSharedBytes,
  kOccupancy,
  kBytes,
  kGraph,
  kGraphNode,
  kCallStack,
  kModules,
  kCollective,
  kArgs,
};
enum class Category : uint8_t {
  kOp,
  kAnnotation,
  kPython,
  kModule,
  kOverhead,
  kSpan,
  kSystemCall,
  kOther,
  kRuntime,
  kDriver,
  kKernel,
  kCopy,
  kMemset,
  kGpuAnnotation,
  kSync,
};

struct ArgValue {
  Arg arg;
  enum class Type : uint8_t { kInteger, kReal, kText, kInlineText } type;
  int64_t integer = 0;
  double real = 0;
  StringId text{};
  std::string inline_text;
};

struct SliceBegin {
  TimeNs time = 0;
  uint64_t track = 0;
  StringId name{};
  Category category = Category::kOther;
  std::vector<ArgValue> args;
  std::vector<uint64_t> flows, ended_flows;
};

struct TrackInfo {
  uint64_t uuid = 0;
  uint64_t parent = 0;  // 0: none
  std::string name;
  enum class Type : uint8_t { kPlain, kProcess, kThread, kCounter } type = Type::kPlain;
  int64_t pid = 0, tid = 0;
  std::string labels;  // for a process
  bool bytes = false;  // for a counter: its unit
};

// The first packet of every file, which clears a reader's state and defines the names of categories
// and arguments.
std::string FirstPacket();

// Writes packets of one sequence, in which each name is written once and then referred to by
// number.
class PacketWriter {
 public:
  PacketWriter(const Trace& trace, OutputFile& file, bool compress);

  void Track(const TrackInfo& track);
  void Begin(const SliceBegin& slice);
  void End(TimeNs time, uint64_t track);
  void Instant(TimeNs time, uint64_t track, StringId name);
  void Counter(TimeNs time, uint64_t track, int64_t value);
  void Counter(TimeNs time, uint64_t track, double value);
  // Writes the buffered packets.
  void Flush();

 private:
  // Appends an event without names; `fill` adds fields that only some events have.
  template <typename Fill>
  void Event(TimeNs time, uint64_t track, int32_t type, Fill fill);
  // Appends the packet in packet_.
  void Append();
  void AddInterned(const SliceBegin& slice);
  bool IsNew(std::vector<bool>& seen, StringId id);

  const Trace& trace_;
  OutputFile& file_;
  const bool compress_;
  std::string buffer_, packet_, interned_;
  std::vector<bool> names_, texts_;  // those that were already written
};

}  // namespace warpsight::exporters::perfetto
