#include "exporters/perfetto/slice_maker.h"

#include <fmt/format.h>

namespace warpsight::exporters::perfetto {
namespace {

Category CategoryOf(HostKind kind) {
  switch (kind) {
    case HostKind::kOp:
      return Category::kOp;
    case HostKind::kAnnotation:
      return Category::kAnnotation;
    case HostKind::kPythonFunction:
      return Category::kPython;
    case HostKind::kModule:
      return Category::kModule;
    case HostKind::kOverhead:
      return Category::kOverhead;
    case HostKind::kSpan:
      return Category::kSpan;
    case HostKind::kSystemCall:
      return Category::kSystemCall;
    case HostKind::kOther:
      break;
  }
  return Category::kOther;
}

Category CategoryOf(GpuKind kind) {
  switch (kind) {
    case GpuKind::kKernel:
      return Category::kKernel;
    case GpuKind::kCopy:
      return Category::kCopy;
    case GpuKind::kMemset:
      break;
  }
  return Category::kMemset;
}

uint64_t FlowOf(size_t gpu_row) { return gpu_row + 1; }

}  // namespace

SliceMaker::SliceMaker(const Profile& profile)
    : trace_(profile.trace), launched_by_(profile.facts.gpu.api) {
  const size_t calls = RowCount(trace_.tables.api);
  first_.resize(calls + 1);
  for (const ApiId api : launched_by_) {
    if (IsSet(api)) ++first_[Index(api) + 1];
  }
  for (size_t i = 0; i < calls; ++i) first_[i + 1] += first_[i];
  started_.resize(first_[calls]);
  std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
  for (size_t row = 0; row < launched_by_.size(); ++row) {
    const ApiId api = launched_by_[row];
    if (IsSet(api)) started_[next[Index(api)]++] = static_cast<uint32_t>(row);
  }
}

SliceBegin& SliceMaker::New(TimeNs time, StringId name, Category category) {
  slice_.time = time;
  slice_.name = name;
  slice_.category = category;
  slice_.args.clear();
  slice_.flows.clear();
  slice_.ended_flows.clear();
  return slice_;
}

void SliceMaker::Integer(Arg arg, int64_t value) {
  if (value != kMissing) slice_.args.push_back({arg, ArgValue::Type::kInteger, value, 0, {}, {}});
}

void SliceMaker::Real(Arg arg, double value) {
  if (value != kMissingReal) slice_.args.push_back({arg, ArgValue::Type::kReal, 0, value, {}, {}});
}

void SliceMaker::Text(Arg arg, StringId text) {
  if (text != StringId::kEmpty) {
    slice_.args.push_back({arg, ArgValue::Type::kText, 0, 0, text, {}});
  }
}

void SliceMaker::Triple(Arg arg, int64_t x, int64_t y, int64_t z) {
  if (x == kMissing || y == kMissing || z == kMissing) return;
  slice_.args.push_back(
      {arg, ArgValue::Type::kInlineText, 0, 0, {}, fmt::format("{} {} {}", x, y, z)});
}

void SliceMaker::Launch(LaunchConfigId launch) {
  if (!IsSet(launch)) return;
  const LaunchConfigsTable& t = trace_.tables.launch_configs;
  const size_t row = Index(launch);
  Triple(Arg::kGrid, t.grid_x[row], t.grid_y[row], t.grid_z[row]);
  Triple(Arg::kBlock, t.block_x[row], t.block_y[row], t.block_z[row]);
  Integer(Arg::kRegisters, t.registers[row]);
  Integer(Arg::kSharedBytes, t.shared_bytes[row]);
  Real(Arg::kOccupancy, t.occupancy_percent[row]);
}

SliceBegin& SliceMaker::Host(size_t row) {
  const HostRangesTable& t = trace_.tables.host;
  New(t.start[row], t.name[row], CategoryOf(t.kind[row]));
  Integer(Arg::kExternalId, t.external_id[row]);
  Integer(Arg::kSequence, t.sequence[row]);
  if (IsSet(t.signature[row])) {
    const SignaturesTable& s = trace_.tables.signatures;
    Text(Arg::kInputDims, s.dims[Index(t.signature[row])]);
    Text(Arg::kInputTypes, s.types[Index(t.signature[row])]);
  }
  if (IsSet(t.extra[row])) {
    const HostExtrasTable& x = trace_.tables.host_extras;
    const size_t extra = Index(t.extra[row]);
    Text(Arg::kCallStack, x.call_stack[extra]);
    Text(Arg::kModules, x.module_hierarchy[extra]);
    Text(Arg::kArgs, x.args[extra]);
    if (IsSet(x.collective[extra])) {
      Text(Arg::kCollective, trace_.tables.collectives.name[Index(x.collective[extra])]);
    }
  }
  return slice_;
}

SliceBegin& SliceMaker::Api(size_t row) {
  const ApiCallsTable& t = trace_.tables.api;
  New(t.start[row], t.name[row],
      t.kind[row] == ApiKind::kRuntime ? Category::kRuntime : Category::kDriver);
  Integer(Arg::kCorrelation, t.correlation[row]);
  Integer(Arg::kExternalId, t.external_id[row]);
  for (uint32_t i = first_[row]; i < first_[row + 1]; ++i) {
    slice_.flows.push_back(FlowOf(started_[i]));
  }
  return slice_;
}

SliceBegin& SliceMaker::Gpu(size_t row) {
  const GpuActivitiesTable& t = trace_.tables.gpu;
  New(t.start[row], t.name[row], CategoryOf(t.kind[row]));
  Integer(Arg::kCorrelation, t.correlation[row]);
  Integer(Arg::kExternalId, t.external_id[row]);
  Integer(Arg::kBytes, t.bytes[row]);
  Launch(t.launch_config[row]);
  if (IsSet(t.extra[row])) {
    const GpuExtrasTable& x = trace_.tables.gpu_extras;
    const size_t extra = Index(t.extra[row]);
    Integer(Arg::kGraph, x.graph[extra]);
    Integer(Arg::kGraphNode, x.graph_node[extra]);
    Text(Arg::kArgs, x.args[extra]);
    if (IsSet(x.collective[extra])) {
      Text(Arg::kCollective, trace_.tables.collectives.name[Index(x.collective[extra])]);
    }
  }
  if (row < launched_by_.size() && IsSet(launched_by_[row])) {
    slice_.ended_flows.push_back(FlowOf(row));
  }
  return slice_;
}

SliceBegin& SliceMaker::GpuAnnotation(size_t row) {
  const GpuAnnotationsTable& t = trace_.tables.gpu_annotations;
  New(t.start[row], t.name[row], Category::kGpuAnnotation);
  Integer(Arg::kExternalId, t.external_id[row]);
  return slice_;
}

SliceBegin& SliceMaker::Sync(size_t row) {
  const SyncsTable& t = trace_.tables.syncs;
  New(t.start[row], t.name[row], Category::kSync);
  Integer(Arg::kCorrelation, t.correlation[row]);
  return slice_;
}

}  // namespace warpsight::exporters::perfetto
