#include "importers/api/nvtx_ranges.h"

#include <fmt/format.h>

#include <algorithm>

#include "importers/api/xla_texts.h"

namespace warpsight {

std::string NvtxName(std::string_view text, std::string_view domain) {
  if (const auto tsl = xla::TslText::Parse(text)) return tsl->Name();
  return domain.empty() ? std::string(text) : fmt::format("{}:{}", domain, text);
}

void NvtxRanges::Record(const NvtxRange& range, NvtxStyle style) {
  NvtxRangesTable& t = part_.tables.nvtx;
  t.start.push_back(range.start);
  t.duration.push_back(range.end - range.start);
  t.text.push_back(part_.Intern(range.text));
  t.domain.push_back(part_.Intern(range.domain));
  t.thread.push_back(range.thread);
  t.style.push_back(style);
}

void NvtxRanges::Add(const NvtxRange& range) {
  Record(range, NvtxStyle::kPushPop);
  // XLA's texts end in '#', in any domain.
  if (!range.in_default_domain && !range.text.ends_with('#')) {
    warpsight::Add(Row(range, HostKind::kAnnotation, NvtxName(range.text, range.domain)), part_);
  } else if (const auto pyprof = ParsePyprofMarker(range.text)) {
    AddPyprof(range, *pyprof);
  } else if (const auto emitted = ParseEmittedMarker(range.text)) {
    AddEmitted(range, *emitted);
  } else if (const auto text = xla::TslText::Parse(range.text)) {
    AddTsl(range, *text);
  } else {
    AddOther(range, HostKind::kAnnotation);
  }
}

void NvtxRanges::AddStartEnd(const NvtxRange& range, ThreadId lane) {
  Record(range, NvtxStyle::kStartEnd);
  HostRow row = Row(range, HostKind::kAnnotation, NvtxName(range.text, range.domain));
  row.thread = lane;
  warpsight::Add(row, part_);
}

void NvtxRanges::AddNamed(const NvtxRange& range, HostKind kind) {
  Record(range, NvtxStyle::kPushPop);
  AddOther(range, kind);
}

void NvtxRanges::AddOther(const NvtxRange& range, HostKind kind) {
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
    OpenAt(range, places_)
        .push_back({range.end, part_.Intern(marker.path), part_.Intern(marker.call_stack)});
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

// A module, "XlaModule:#prefix=jit(step),hlo_module=jit_step,program_id=3#", and an op inside it,
// "Thunk:#name=jvp()/dot_general,hlo_op=fusion.3#".
void NvtxRanges::AddTsl(const NvtxRange& range, const xla::TslText& text) {
  std::vector<Module>& modules = OpenAt(range, modules_);
  const std::string_view hlo_op = text.Value("hlo_op");
  const std::string_view module = text.Value("hlo_module");
  if (hlo_op.empty()) {
    if (!module.empty()) {
      modules.push_back({range.end, std::string(module), std::string(text.Value("prefix"))});
    }
    warpsight::Add(Row(range, HostKind::kAnnotation, module.empty() ? text.Name() : module), part_);
    return;
  }
  std::string scope = modules.empty() ? "" : modules.back().scope;
  if (const std::string_view name = text.Value("name"); !name.empty() && name != hlo_op) {
    if (!scope.empty()) scope += '/';
    scope += name;
  }
  const std::string_view of = !module.empty()   ? module
                              : modules.empty() ? std::string_view()
                                                : std::string_view(modules.back().name);
  const xla::OpName op = xla::NamedOp({hlo_op, of, scope, ""});
  HostExtrasTable& t = part_.tables.host_extras;
  t.call_stack.push_back(StringId::kEmpty);
  t.module_hierarchy.push_back(part_.Intern(op.path));
  t.op_type.push_back(part_.Intern(op.type));
  HostRow row = Row(range, HostKind::kOp, op.name);
  row.extra = MakeId<HostExtraId>(t.call_stack.size() - 1);
  warpsight::Add(row, part_);
}

template <typename Open>
std::vector<Open>& NvtxRanges::OpenAt(const NvtxRange& range, std::vector<std::vector<Open>>& all) {
  all.resize(std::max(all.size(), Index(range.thread) + 1));
  std::vector<Open>& open = all[Index(range.thread)];
  while (!open.empty() && open.back().end <= range.start) open.pop_back();
  return open;
}

HostExtraId NvtxRanges::Extra(const NvtxRange& call) {
  const std::vector<Place>& places = OpenAt(call, places_);
  if (places.empty()) return kNone<HostExtraId>;
  HostExtrasTable& t = part_.tables.host_extras;
  t.call_stack.push_back(places.back().call_stack);
  t.module_hierarchy.push_back(places.back().path);
  t.op_type.push_back(StringId::kEmpty);
  return MakeId<HostExtraId>(t.call_stack.size() - 1);
}

}  // namespace warpsight
