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
// and are shifted together; different kinds are independent.
enum class NumberKind : uint8_t {
  kTime,            // whole microseconds; the decimals never change
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

// The shift of each kind of number from one copy to the next.
using Strides = std::array<int64_t, kNumberKinds>;

// One number inside a text.
struct Slot {
  size_t offset;
  uint8_t length;
  NumberKind kind;
  int64_t value;
};

// The text of events, separated as in the file, and the positions of their numbers.
struct EventText {
  std::string text;
  std::vector<Slot> slots;
  int64_t events = 0;
};

// A Kineto trace split into parts: prefix, then `repeated` any number of times, then `once`, then
// suffix, with `separator` between the events, is again a Kineto trace.
//
// `once` contains events that a recording has only once: the names of processes and threads, the
// spans of whole traces, and the marks of the recording window. Those that describe the end of the
// recording also have slots: they are shifted like the last copy.
struct TraceTemplate {
  std::string prefix;
  std::string separator;
  std::string suffix;
  EventText repeated;
  EventText once;
  int64_t span_us = 0;  // from the first to the end of the last repeated event, rounded up

  // Strides with which copies follow each other `gap_us` apart and ids stay unique.
  Strides MakeStrides(int64_t gap_us) const;
};

// Splits the text of a trace.
Result<TraceTemplate> MakeTemplate(std::string_view trace);

// Appends the events with every number shifted by `copy` strides.
void AppendCopy(const EventText& events, const Strides& strides, int64_t copy, std::string& out);

}  // namespace warpsight::bench
