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
  AddRow(range, kind, part_.Intern(range.text), kMissing, kNone<SignatureId>, kNone<HostExtraId>);
}

void NvtxRanges::AddEmitted(const NvtxRange& range, const EmittedMarker& marker) {
  SignatureId signature = kNone<SignatureId>;
  if (!marker.dims.empty()) {
    signature = part_.Signature(part_.Intern(marker.dims), StringId::kEmpty, StringId::kEmpty,
                                StringId::kEmpty);
  }
  AddRow(range, marker.kind, part_.Intern(marker.name), marker.sequence, signature,
         kNone<HostExtraId>);
}

void NvtxRanges::AddPyprof(const NvtxRange& range, const PyprofMarker& marker) {
  if (marker.kind == PyprofMarker::Kind::kPlace) {
    PlacesOf(range).push_back(
        {range.end, part_.Intern(marker.path), part_.Intern(marker.call_stack)});
  } else if (marker.kind == PyprofMarker::Kind::kCall) {
    SignatureId signature = kNone<SignatureId>;
    if (!marker.dims.empty()) {
      signature = part_.Signature(part_.Intern(marker.dims), part_.Intern(marker.types),
                                  StringId::kEmpty, part_.Intern(marker.values));
    }
    AddRow(range, HostKind::kOp, part_.Intern(marker.op), kMissing, signature, Extra(range));
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
  t.args.push_back(StringId::kEmpty);
  t.python_id.push_back(kMissing);
  t.python_parent.push_back(kMissing);
  t.python_module.push_back(kMissing);
  t.collective.push_back(kNone<CollectiveId>);
  return MakeId<HostExtraId>(t.args.size() - 1);
}

void NvtxRanges::AddRow(const NvtxRange& range, HostKind kind, StringId name, int64_t sequence,
                        SignatureId signature, HostExtraId extra) {
  HostRangesTable& t = part_.tables.host;
  t.start.push_back(range.start);
  t.duration.push_back(range.end - range.start);
  t.name.push_back(name);
  t.thread.push_back(range.thread);
  t.kind.push_back(kind);
  t.external_id.push_back(kMissing);
  t.sequence.push_back(sequence);
  t.forward_thread.push_back(kMissing);
  t.signature.push_back(signature);
  t.extra.push_back(extra);
}

}  // namespace warpsight
