#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpsight::bench {

// The numbers that must differ between copies of a trace. Numbers of one kind refer to each other
// and move together; those of different kinds are counted independently.
enum class NumberKind : uint8_t {
  kTime,            // whole microseconds; the digits behind the point never change
  kCorrelation,     // "correlation", and the ids of the flows from launches to GPU work
  kExternalId,      // "External id"
  kFlow,            // the ids of all other flows: fwdbwd
  kSequence,        // "Sequence number"
  kEventIndex,      // "Ev Idx"
  kPython,          // "Python id", "Python parent id"
  kRecordFunction,  // "Record function id"
  kStep,            // N of "ProfilerStep#N"
};
inline constexpr size_t kNumberKinds = static_cast<size_t>(NumberKind::kStep) + 1;

// How far each kind of number moves from one copy to the next.
using Strides = std::array<int64_t, kNumberKinds>;

// One number inside a text.
struct Slot {
  size_t offset;
  uint8_t length;
  NumberKind kind;
  int64_t value;
};

// Events, separated as in the file, and where their numbers are.
struct EventText {
  std::string text;
  std::vector<Slot> slots;
  int64_t events = 0;
};

// A Kineto trace taken apart: prefix, then `repeated` as often as wanted, then `once`, then suffix,
// with `separator` between the events, is again a Kineto trace.
//
// `once` holds what a recording has only one of: the names of processes and threads, the spans of
// whole traces, and the marks of the recording window. Those that describe the end of the recording
// have slots too: they move like the last copy.
struct TraceTemplate {
  std::string prefix;
  std::string separator;
  std::string suffix;
  EventText repeated;
  EventText once;
  int64_t span_us = 0;  // from the first to the end of the last repeated event, rounded up

  // Strides which make copies follow each other with `gap_us` between them and ids stay unique.
  Strides MakeStrides(int64_t gap_us) const;
};

// Takes the text of a trace apart.
Result<TraceTemplate> MakeTemplate(std::string_view trace);

// Appends the events with every number moved by `copy` strides.
void AppendCopy(const EventText& events, const Strides& strides, int64_t copy, std::string& out);

}  // namespace warpsight::bench
