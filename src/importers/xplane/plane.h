#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "importers/xplane/by_id.h"

// Messages of tsl/profiler/protobuf/xplane.proto as views into the file.
namespace warpsight::importers::xplane {

// Stats that have a place in the model; all others are stored as arguments.
enum class StatKind : uint8_t {
  kOther,
  kInternal,  // used by the profiler for its own linking: "_ct", "_p", ...
  kCorrelation,
  kKernelDetails,
  kCopyDetails,
  kGraph,
  kGraphNode,
  kContext,
  kHloOp,
  kHloModule,
  kScope,
  kTfOp,
  kProgram,
  kStep,
  kGroup,
  kAddress,
  kAllocator,
  kAllocationBytes,
  kBytesAllocated,
  kBytesReserved,
};

struct Stat {
  enum class Type : uint8_t { kNone, kInteger, kUnsigned, kReal, kText, kBytes };
  StatKind kind = StatKind::kOther;
  Type type = Type::kNone;
  std::string_view name;
  std::string_view text;
  uint64_t integer = 0;
  double real = 0;

  // The number, also if it is stored as a text; `missing` if it is not a number.
  int64_t IntegerOr(int64_t missing) const;
};

struct StatName {
  StatKind kind = StatKind::kOther;
  std::string_view name;
};

// A stat whose value was not parsed yet.
struct RawStat {
  StatKind kind = StatKind::kOther;
  std::string_view message;
};

struct EventName {
  std::string_view name;
  std::string_view display_name;
  std::vector<RawStat> stats;  // common to all events of this name
};

// A plane without the events of its lines.
struct Plane {
  std::string_view bytes;
  std::string_view name;
  std::vector<std::string_view> lines;
  std::vector<std::string_view> stats;
  ById<EventName> events;
  ById<StatName> stat_names;
  bool whole = true;          // neither truncated nor damaged
  const char* end = nullptr;  // where reading ended

  RawStat RawStatOf(std::string_view message) const;
  Stat ReadStat(std::string_view message) const;
  // The value of a numeric stat, as Stat::IntegerOr(kMissing).
  int64_t ReadInteger(std::string_view message) const;
};

Plane ReadPlane(std::string_view bytes);

}  // namespace warpsight::importers::xplane
