#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/accounting/range_summary.h"
#include "analysis/aggregation/stored_costs.h"
#include "analysis/facts/totals.h"
#include "analysis/iterations/gpu_windows.h"
#include "model/profile.h"

// A profile built row by row, for tests.
namespace warpsight {

class HandMadeProfile {
 public:
  // One process and one GPU; iterations 0 .. iterations - 1, each 1000 ns long.
  explicit HandMadeProfile(int iterations) {
    TraceTables& t = profile_.trace.tables;
    t.sources.path.push_back(StringId::kEmpty);
    t.sources.format.push_back(StringId::kEmpty);
    t.sources.bytes.push_back(0);
    t.sources.events.push_back(0);
    t.sources.rank.push_back(kMissing);
    t.sources.world_size.push_back(kMissing);
    t.sources.backend.push_back(StringId::kEmpty);
    ProcessesTable::Columns([&](ColumnInfo, auto member) { (t.processes.*member).emplace_back(); });
    ThreadsTable::Columns([&](ColumnInfo, auto member) { (t.threads.*member).emplace_back(); });
    DevicesTable::Columns([&](ColumnInfo, auto member) { (t.devices.*member).emplace_back(); });
    t.devices.name[0] = Intern("Test GPU");
    t.streams.device.push_back(DeviceId{0});
    t.streams.context.push_back(1);
    t.streams.stream.push_back(7);
    t.streams.process.push_back(kNone<ProcessId>);
    t.streams.recorded_device.push_back(kMissing);
    for (int i = 0; i < iterations; ++i) {
      IterationsTable& table = profile_.facts.iterations;
      IterationsTable::Columns([&](ColumnInfo, auto member) { (table.*member).emplace_back(); });
      table.number.back() = i;
      table.start.back() = 1000 * i;
      table.end.back() = table.gpu_end.back() = 1000 * i + 1000;
    }
    profile_.trace.end = 1000 * iterations;
  }

  // Rows must be added in order of start. `counted` is the op under which reports count the range;
  // kNone stands for the range itself.
  HostId Op(std::string_view name, TimeNs start, DurationNs duration,
            Direction direction = Direction::kForward, HostId counted = kNone<HostId>) {
    HostRangesTable& host = profile_.trace.tables.host;
    const HostId id = MakeId<HostId>(host.start.size());
    HostRangesTable::Columns([&](ColumnInfo, auto member) { (host.*member).emplace_back(); });
    host.start.back() = start;
    host.duration.back() = duration;
    host.name.back() = Intern(name);
    host.kind.back() = HostKind::kOp;
    host.signature.back() = kNone<SignatureId>;
    host.extra.back() = kNone<HostExtraId>;
    HostFactsTable& facts = profile_.facts.host;
    facts.parent.push_back(counted);
    facts.op.push_back(IsSet(counted) ? counted : id);
    facts.forward.push_back(kNone<HostId>);
    facts.direction.push_back(direction);
    facts.iteration.push_back(IterationAt(start));
    return id;
  }

  // The recorded inputs of an op, as JSON.
  void Inputs(HostId op, std::string_view dims, std::string_view types, std::string_view values) {
    SignaturesTable& table = profile_.trace.tables.signatures;
    profile_.trace.tables.host.signature[Index(op)] = MakeId<SignatureId>(table.dims.size());
    table.dims.push_back(Intern(dims));
    table.types.push_back(Intern(types));
    table.strides.push_back(StringId::kEmpty);
    table.values.push_back(Intern(values));
    profile_.trace.ReadInputs();
  }

  // Sets the family of a kernel name.
  void Family(std::string_view kernel, std::string_view family) {
    KernelNamesTable& names = profile_.facts.kernel_names;
    for (size_t i = 0; i < names.name.size(); ++i) {
      if (names.name[i] == Intern(kernel)) names.family[i] = Intern(family);
    }
  }

  // Sets the arguments of GPU work that have no column, as JSON.
  void GpuArgs(GpuId gpu, std::string_view args) {
    GpuExtrasTable& extras = profile_.trace.tables.gpu_extras;
    profile_.trace.tables.gpu.extra[Index(gpu)] = MakeId<GpuExtraId>(extras.args.size());
    extras.graph.push_back(kMissing);
    extras.graph_node.push_back(kMissing);
    extras.args.push_back(Intern(args));
    extras.collective.push_back(kNone<CollectiveId>);
    extras.bandwidth.push_back(kMissingReal);
    for (auto* column : {&extras.op_name, &extras.op_type, &extras.op_path}) {
      column->push_back(StringId::kEmpty);
    }
  }

  // Sets the op that GPU work names, and the graph that replayed the work.
  void NamedOp(GpuId gpu, std::string_view path, std::string_view name, std::string_view type,
               int64_t graph = kMissing) {
    GpuArgs(gpu, "");
    GpuExtrasTable& extras = profile_.trace.tables.gpu_extras;
    extras.graph.back() = graph;
    extras.op_path.back() = Intern(path);
    extras.op_name.back() = Intern(name);
    extras.op_type.back() = Intern(type);
  }

  void Bytes(GpuId copy, int64_t bytes, CopyDirection direction) {
    profile_.trace.tables.gpu.bytes[Index(copy)] = bytes;
    profile_.trace.tables.gpu.copy_direction[Index(copy)] = direction;
  }

  void Path(HostId op, std::string_view path) {
    profile_.facts.module_paths.op.push_back(op);
    profile_.facts.module_paths.path.push_back(Intern(path));
  }

  ApiId Api(std::string_view name, TimeNs start, DurationNs duration, HostId op = kNone<HostId>) {
    ApiCallsTable& api = profile_.trace.tables.api;
    const ApiId id = MakeId<ApiId>(api.start.size());
    ApiCallsTable::Columns([&](ColumnInfo, auto member) { (api.*member).emplace_back(); });
    api.start.back() = start;
    api.duration.back() = duration;
    api.name.back() = Intern(name);
    profile_.facts.api.op.push_back(op);
    profile_.facts.api.iteration.push_back(IterationAt(start));
    return id;
  }

  // Adds a kernel. It belongs to the iteration of the call that launched it, otherwise to the
  // iteration in which it ran.
  GpuId Kernel(std::string_view name, TimeNs start, DurationNs duration, ApiId api = kNone<ApiId>,
               TensorCores tensor_cores = TensorCores::kNo) {
    const GpuId id = Activity(name, start, duration, api, GpuKind::kKernel);
    KernelNamesTable& names = profile_.facts.kernel_names;
    const StringId text = Intern(name);
    for (const StringId known : names.name) {
      if (known == text) return id;
    }
    KernelNamesTable::Columns([&](ColumnInfo, auto member) { (names.*member).emplace_back(); });
    names.name.back() = text;
    names.short_name.back() = text;
    names.tensor_cores.back() = names.tensor_cores_by_name.back() = tensor_cores;
    return id;
  }

  // Sets the grid of a kernel; its block is one thread.
  void Grid(GpuId gpu, int64_t grid) {
    profile_.trace.tables.gpu.launch_config[Index(gpu)] = Launch(grid, 40);
  }

  // Sets the launch parameters of a kernel; kMissing: not recorded.
  void Launch(GpuId gpu, int64_t grid, int64_t block, int64_t registers, int64_t shared_bytes = 0) {
    LaunchConfigsTable& t = profile_.trace.tables.launch_configs;
    profile_.trace.tables.gpu.launch_config[Index(gpu)] = Launch(grid, registers);
    t.block_x.back() = block;
    t.shared_bytes.back() = shared_bytes;
    t.blocks_per_sm.back() = t.occupancy_percent.back() = kMissingReal;
  }

  // Sets the theoretical occupancy as XLA records it: the share of the maximum number of threads
  // for which a kernel's registers and shared memory leave room.
  void TheoreticalOccupancy(GpuId gpu, double percent) {
    const LaunchConfigId launch = profile_.trace.tables.gpu.launch_config[Index(gpu)];
    profile_.trace.tables.launch_configs.occupancy_percent[Index(launch)] = percent;
  }

  // Sets the properties of the GPU.
  void Device(int64_t sms, int64_t compute_major, int64_t warp_size = 32) {
    DevicesTable& devices = profile_.trace.tables.devices;
    devices.sms[0] = sms;
    devices.compute_major[0] = compute_major;
    devices.warp_size[0] = warp_size;
  }

  // Sets how well a kernel fills the GPU, as recorded.
  void Fill(GpuId gpu, double blocks_per_sm, double occupancy_percent) {
    Grid(gpu, 1);
    profile_.trace.tables.launch_configs.blocks_per_sm.back() = blocks_per_sm;
    profile_.trace.tables.launch_configs.occupancy_percent.back() = occupancy_percent;
  }

  // Adds hardware counters of a launch with that grid; kMissing: not read.
  void Counted(std::string_view kernel, int64_t grid, int64_t tensor_instructions,
               int64_t dram_read_bytes, int64_t dram_write_bytes, double tensor_active = 0,
               int64_t passes = 2) {
    KernelCountersTable& counters = profile_.trace.tables.kernel_counters;
    counters.source.push_back(SourceId{0});
    counters.name.push_back(Intern(kernel));
    counters.launch_config.push_back(Launch(grid, kMissing));
    counters.instance.push_back(0);
    counters.passes.push_back(passes);
    counters.duration.push_back(100);
    counters.tensor_instructions.push_back(tensor_instructions);
    counters.tensor_active_percent.push_back(tensor_active);
    counters.sm_active_percent.push_back(50);
    counters.dram_read_bytes.push_back(dram_read_bytes);
    counters.dram_write_bytes.push_back(dram_write_bytes);
  }

  // Marks a kernel name as measured by hardware counters.
  void Measured(std::string_view kernel, int64_t launches) {
    KernelNamesTable& names = profile_.facts.kernel_names;
    for (size_t i = 0; i < names.name.size(); ++i) {
      if (names.name[i] == Intern(kernel)) names.measured_launches[i] = launches;
    }
  }

  GpuId Copy(std::string_view name, TimeNs start, DurationNs duration, ApiId api = kNone<ApiId>) {
    return Activity(name, start, duration, api, GpuKind::kCopy);
  }

  ProfileView Finish() {
    IndexKernelNames(profile_.facts, profile_.trace.strings);
    FindWindows(profile_.trace, {false}, profile_.facts);
    CountTotals(profile_.trace, profile_.facts);
    return profile_;
  }

  // Also stores the costs of ops and kernels in a range.
  ProfileView Finish(const RangeSummary& range) {
    Finish();
    StoreCosts({profile_, range}, profile_.trace.strings, profile_.facts);
    return profile_;
  }

 private:
  StringId Intern(std::string_view text) { return profile_.trace.strings.Intern(text); }

  LaunchConfigId Launch(int64_t grid, int64_t registers) {
    LaunchConfigsTable& t = profile_.trace.tables.launch_configs;
    LaunchConfigsTable::Columns([&](ColumnInfo, auto member) { (t.*member).push_back(1); });
    t.grid_x.back() = grid;
    t.registers.back() = registers;
    return MakeId<LaunchConfigId>(t.grid_x.size() - 1);
  }

  IterationId IterationAt(TimeNs time) const {
    const auto number = static_cast<size_t>(time / 1000);
    return number < RowCount(profile_.facts.iterations) ? MakeId<IterationId>(number)
                                                        : kNone<IterationId>;
  }

  GpuId Activity(std::string_view name, TimeNs start, DurationNs duration, ApiId api,
                 GpuKind kind) {
    GpuActivitiesTable& gpu = profile_.trace.tables.gpu;
    const GpuId id = MakeId<GpuId>(gpu.start.size());
    GpuActivitiesTable::Columns([&](ColumnInfo, auto member) { (gpu.*member).emplace_back(); });
    gpu.start.back() = start;
    gpu.duration.back() = duration;
    gpu.name.back() = Intern(name);
    gpu.kind.back() = kind;
    gpu.launch_config.back() = kNone<LaunchConfigId>;
    gpu.extra.back() = kNone<GpuExtraId>;
    GpuFactsTable& facts = profile_.facts.gpu;
    facts.api.push_back(api);
    facts.op.push_back(IsSet(api) ? profile_.facts.api.op[Index(api)] : kNone<HostId>);
    facts.iteration.push_back(IsSet(api) ? profile_.facts.api.iteration[Index(api)]
                                         : IterationAt(start));
    return id;
  }

  Profile profile_;
};

}  // namespace warpsight
