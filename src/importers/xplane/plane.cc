#include "importers/xplane/plane.h"

#include <charconv>
#include <system_error>
#include <utility>

#include "base/units.h"
#include "importers/xplane/proto_fields.h"

namespace warpsight::importers::xplane {
namespace {

StatKind StatKindOf(std::string_view name) {
  static constexpr std::pair<std::string_view, StatKind> kKinds[] = {
      {"correlation_id", StatKind::kCorrelation},
      {"kernel_details", StatKind::kKernelDetails},
      {"memcpy_details", StatKind::kCopyDetails},
      {"Memcpy_details", StatKind::kCopyDetails},
      {"memset_details", StatKind::kCopyDetails},
      {"Memset_details", StatKind::kCopyDetails},
      {"cuda_graph_id", StatKind::kGraph},
      {"cuda_graph_node_id", StatKind::kGraphNode},
      {"context_id", StatKind::kContext},
      {"hlo_op", StatKind::kHloOp},
      {"hlo_module", StatKind::kHloModule},
      {"name", StatKind::kScope},
      {"tf_op", StatKind::kTfOp},
      {"level 0", StatKind::kTfOp},
      {"program_id", StatKind::kProgram},
      {"step_num", StatKind::kStep},
      {"group_id", StatKind::kGroup},
      {"addr", StatKind::kAddress},
      {"allocator_name", StatKind::kAllocator},
      {"allocation_bytes", StatKind::kAllocationBytes},
      {"bytes_allocated", StatKind::kBytesAllocated},
      {"bytes_reserved", StatKind::kBytesReserved},
  };
  for (const auto& [text, kind] : kKinds) {
    if (text == name) return kind;
  }
  return name.starts_with('_') && name != "_src" ? StatKind::kInternal : StatKind::kOther;
}

// Calls visit(key, value) for an entry of a map with numbers as keys and messages as values.
template <typename Visit>
bool ReadMapEntry(std::string_view entry, Visit visit) {
  int64_t key = 0;
  std::string_view value;
  ProtoFields fields(entry);
  while (fields.Next()) {
    if (fields.number() == 1) key = fields.signed_integer();
    if (fields.number() == 2) value = fields.bytes();
  }
  if (!fields.whole()) return false;
  visit(key, value);
  return true;
}

EventName ReadEventName(std::string_view message) {
  EventName event;
  ProtoFields fields(message);
  while (fields.Next()) {
    if (fields.number() == 2) event.name = fields.bytes();
    if (fields.number() == 4) event.display_name = fields.bytes();
    if (fields.number() == 5) event.stats.push_back({StatKind::kOther, fields.bytes()});
  }
  return event;
}

std::string_view ReadStatName(std::string_view message) {
  std::string_view name;
  ProtoFields fields(message);
  while (fields.Next()) {
    if (fields.number() == 2) name = fields.bytes();
  }
  return name;
}

}  // namespace

int64_t Stat::IntegerOr(int64_t missing) const {
  if (type == Type::kInteger || type == Type::kUnsigned) return static_cast<int64_t>(integer);
  if (type != Type::kText) return missing;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : missing;
}

RawStat Plane::RawStatOf(std::string_view message) const {
  RawStat stat{StatKind::kOther, message};
  ProtoFields fields(message);
  while (fields.Next()) {
    if (fields.number() != 1) continue;  // usually the first one
    if (const StatName* name = stat_names.Find(fields.signed_integer())) stat.kind = name->kind;
    break;
  }
  return stat;
}

Stat Plane::ReadStat(std::string_view message) const {
  Stat stat;
  ProtoFields fields(message);
  while (fields.Next()) {
    switch (fields.number()) {
      case 1:
        if (const StatName* name = stat_names.Find(fields.signed_integer())) {
          stat.kind = name->kind;
          stat.name = name->name;
        }
        break;
      case 2:
        stat.type = Stat::Type::kReal;
        stat.real = fields.real();
        break;
      case 3:
        stat.type = Stat::Type::kUnsigned;
        stat.integer = fields.integer();
        break;
      case 4:
        stat.type = Stat::Type::kInteger;
        stat.integer = fields.integer();
        break;
      case 5:
        stat.type = Stat::Type::kText;
        stat.text = fields.bytes();
        break;
      case 6:
        stat.type = Stat::Type::kBytes;
        stat.text = fields.bytes();
        break;
      case 7:
        stat.type = Stat::Type::kText;
        if (const StatName* name = stat_names.Find(fields.signed_integer())) {
          stat.text = name->name;
        }
        break;
      default:
        break;
    }
  }
  return stat;
}

int64_t Plane::ReadInteger(std::string_view message) const {
  ProtoFields fields(message);
  while (fields.Next()) {
    if (fields.number() == 3 || fields.number() == 4) return fields.signed_integer();
    if (fields.number() != 1) break;
  }
  return ReadStat(message).IntegerOr(kMissing);
}

Plane ReadPlane(std::string_view bytes) {
  Plane plane;
  plane.bytes = bytes;
  ProtoFields fields(bytes);
  while (fields.Next()) {
    switch (fields.number()) {
      case 2:
        plane.name = fields.bytes();
        break;
      case 3:
        plane.lines.push_back(fields.bytes());
        break;
      case 4:
        plane.whole &= ReadMapEntry(fields.bytes(), [&](int64_t id, std::string_view message) {
          plane.events.Add(id, ReadEventName(message));
        });
        break;
      case 5:
        plane.whole &= ReadMapEntry(fields.bytes(), [&](int64_t id, std::string_view message) {
          const std::string_view name = ReadStatName(message);
          plane.stat_names.Add(id, {StatKindOf(name), name});
        });
        break;
      case 6:
        plane.stats.push_back(fields.bytes());
        break;
      default:
        break;
    }
  }
  plane.whole &= fields.whole();
  plane.end = fields.place();
  plane.stat_names.Seal();
  plane.events.Seal();
  for (auto& [id, event] : plane.events.entries()) {
    for (RawStat& stat : event.stats) stat = plane.RawStatOf(stat.message);
  }
  return plane;
}

}  // namespace warpsight::importers::xplane
