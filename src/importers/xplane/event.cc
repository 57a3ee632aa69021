#include "importers/xplane/event.h"

#include <utility>

#include "importers/api/bounds.h"
#include "importers/xplane/proto_fields.h"
#include "model/limits.h"

namespace warpsight::importers::xplane {
namespace {

// Sums of times up to this one, 73 years, do not overflow.
constexpr int64_t kLatest = int64_t{1} << 61;

void TakeText(std::string_view value, std::string_view& text) {
  if (text.empty()) text = value;
}

// Stores the value of a stat that has a place in the model.
void TakeValue(const Plane& plane, const RawStat& raw, Event& event) {
  const auto text = [&] { return plane.ReadStat(raw.message).text; };
  switch (raw.kind) {
    case StatKind::kCorrelation:
      event.correlation = plane.ReadInteger(raw.message);
      break;
    case StatKind::kGraph:
      event.graph = plane.ReadInteger(raw.message);
      break;
    case StatKind::kGraphNode:
      event.graph_node = plane.ReadInteger(raw.message);
      break;
    case StatKind::kProgram:
      event.program = plane.ReadInteger(raw.message);
      break;
    case StatKind::kGroup:
      event.group = plane.ReadInteger(raw.message);
      break;
    case StatKind::kStep:
      event.has_step = true;
      break;
    case StatKind::kKernelDetails:
      TakeText(text(), event.kernel_details);
      break;
    case StatKind::kCopyDetails:
      TakeText(text(), event.copy_details);
      break;
    case StatKind::kHloOp:
      TakeText(text(), event.hlo_op);
      break;
    case StatKind::kHloModule:
      TakeText(text(), event.hlo_module);
      break;
    case StatKind::kScope:
      TakeText(text(), event.scope);
      break;
    case StatKind::kTfOp:
      TakeText(text(), event.tf_op);
      break;
    default:
      break;
  }
}

void Clear(Event& event) {
  std::vector<RawStat> stats = std::move(event.stats);
  stats.clear();
  event = Event{};
  event.stats = std::move(stats);
}

}  // namespace

int64_t ToNanoseconds(int64_t picoseconds) {
  const int64_t whole = picoseconds / 1000;
  const int64_t rest = picoseconds % 1000;
  if (rest >= 500) return whole + 1;
  return rest < -500 ? whole - 1 : whole;
}

std::optional<EventProblem> ReadEvent(const Plane& plane, int64_t timestamp_ns,
                                      std::string_view message, Event& event) {
  Clear(event);
  int64_t name = 0;
  int64_t offset_ps = 0;
  int64_t duration_ps = 0;
  bool counted = false;
  ProtoFields fields(message);
  while (fields.Next()) {
    switch (fields.number()) {
      case 1:
        name = fields.signed_integer();
        break;
      case 2:
        offset_ps = fields.signed_integer();
        break;
      case 3:
        duration_ps = fields.signed_integer();
        break;
      case 4:
        event.stats.push_back(plane.RawStatOf(fields.bytes()));
        TakeValue(plane, event.stats.back(), event);
        break;
      case 5:
        counted = true;
        break;
      default:
        break;
    }
  }
  if (!fields.whole()) return EventProblem{"bad_record", "an event that is damaged"};
  event.name = plane.events.Find(name);
  if (event.name == nullptr) return EventProblem{"bad_record", "an event whose name is missing"};
  for (const RawStat& stat : event.name->stats) TakeValue(plane, stat, event);
  if (counted) return EventProblem{"bad_time", "an event that only counts occurrences"};
  if (timestamp_ns < -kLatest || timestamp_ns > kLatest) {
    return EventProblem{"bad_time", "a time beyond any clock"};
  }
  event.start = timestamp_ns + ToNanoseconds(offset_ps);
  event.duration = ToNanoseconds(duration_ps);
  if (event.duration < 0 || event.duration > kLongestSlice) {
    return EventProblem{"bad_duration", "a duration below 0 or beyond any trace"};
  }
  return std::nullopt;
}

}  // namespace warpsight::importers::xplane
