#include "importers/api/nvtx_ranges.h"

#include <algorithm>

namespace warpsight {

void NvtxRanges::Add(const NvtxRange& range) {
  if (const auto pyprof = ParsePyprofMarker(range.text)) {
    AddPyprof(range, *pyprof);
  } else if (const auto emitted = ParseEmittedMarker(range.text)) {
    AddEmitted(range, *emitted);
  } else {
    Add(range, HostKind::kAnnotation);
  }
}

void NvtxRanges::Add(const NvtxRange& range, HostKind kind) {
  warpsight::Add(Row(range, kind, range.text), part_);
}

HostRow NvtxRanges::Row(const NvtxRange& range, HostKind kind, std::string_view name) {
  return {range.start, range.end - range.start, part_.Intern(name), range.thread, kind};
}

void NvtxRanges::AddEmitted(const NvtxRange& range, const EmittedMarker& marker) {
  HostRow row = Row(range, marker.kind, marker.name);
  row.sequence = marker.sequence;
  if (!marker.dims.empty()) {
    row.signature = part_.Signature(part_.Intern(marker.dims), StringId::kEmpty, StringId::kEmpty,
                                    StringId::kEmpty);
  }
  warpsight::Add(row, part_);
}

void NvtxRanges::AddPyprof(const NvtxRange& range, const PyprofMarker& marker) {
  if (marker.kind == PyprofMarker::Kind::kPlace) {
    PlacesOf(range).push_back(
        {range.end, part_.Intern(marker.path), part_.Intern(marker.call_stack)});
  } else if (marker.kind == PyprofMarker::Kind::kCall) {
    HostRow row = Row(range, HostKind::kOp, marker.op);
    if (!marker.dims.empty()) {
      row.signature = part_.Signature(part_.Intern(marker.dims), part_.Intern(marker.types),
                                      StringId::kEmpty, part_.Intern(marker.values));
    }
    row.extra = Extra(range);
    warpsight::Add(row, part_);
  }
}

std::vector<NvtxRanges::Place>& NvtxRanges::PlacesOf(const NvtxRange& range) {
  places_.resize(std::max(places_.size(), Index(range.thread) + 1));
  std::vector<Place>& places = places_[Index(range.thread)];
  while (!places.empty() && places.back().end <= range.start) places.pop_back();
  return places;
}

HostExtraId NvtxRanges::Extra(const NvtxRange& call) {
  const std::vector<Place>& places = PlacesOf(call);
  if (places.empty()) return kNone<HostExtraId>;
  HostExtrasTable& t = part_.tables.host_extras;
  t.call_stack.push_back(places.back().call_stack);
  t.module_hierarchy.push_back(places.back().path);
  return MakeId<HostExtraId>(t.call_stack.size() - 1);
}

}  // namespace warpsight
