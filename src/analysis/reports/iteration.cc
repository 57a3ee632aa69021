#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/aggregation/report_cache.h"
#include "analysis/report_parts/dlprof_shapes.h"
#include "analysis/report_parts/op_columns.h"
#include "analysis/report_parts/op_notes.h"
#include "analysis/reporting/render_columns.h"
#include "model/hash_map.h"

namespace warpsight::reports::iteration {

Report Define();

namespace {

// Makes the inputs of a kernel's op readable, once per distinct signature and kind of op.
class Inputs {
 public:
  explicit Inputs(ProfileView profile) : profile_(profile) {}

  // The signature of the op under which the work counts or, if it has none, of the op that launched
  // the work.
  SignatureId SignatureOf(HostId innermost) const {
    for (const HostId op : {CountedOp(profile_.facts, innermost), innermost}) {
      if (!IsSet(op)) continue;
      const SignatureId signature = profile_.trace.tables.host.signature[Index(op)];
      if (IsSet(signature)) return signature;
    }
    return kNone<SignatureId>;
  }

  // Appends data types, shapes of inputs, parameters, shapes of outputs.
  void Append(const Op& op, SignatureId signature, std::vector<Cell>& cells) {
    if (!IsSet(signature)) {
      cells.resize(cells.size() + 4);
      return;
    }
    const auto [at, is_new] = known_.try_emplace(std::pair(signature, std::string_view(op.type)));
    if (is_new) {
      at->second.types = profile_.trace.inputs.ReadableTypes(signature);
      at->second.shapes = ShapesAsInDlprof(profile_.trace, op.type, signature);
    }
    cells.emplace_back(std::string_view(at->second.types));
    cells.emplace_back(std::string_view(at->second.shapes.inputs));
    cells.emplace_back();
    cells.emplace_back(std::string_view(at->second.shapes.outputs));
  }

  Cell Values(SignatureId signature) const {
    if (!IsSet(signature)) return {};
    return profile_.trace.Text(profile_.trace.tables.signatures.values[Index(signature)]);
  }

 private:
  struct Texts {
    std::string types;
    DlprofShapes shapes;
  };

  ProfileView profile_;
  HashMap<std::pair<SignatureId, std::string_view>, Texts> known_;
};

// The start of the trace on the clock of Nsight Systems, which begins with its recording; 0 for
// other sources.
TimeNs ClockStart(const Trace& trace) {
  const SourcesTable& sources = trace.tables.sources;
  const bool nsys = RowCount(sources) == 1 && trace.Text(sources.format[0]) == "nsys";
  return nsys ? trace.origin_ns : 0;
}

int64_t IterationOf(ProfileView profile, GpuId id) {
  return profile.facts.iterations.number[Index(profile.facts.gpu.iteration[Index(id)])];
}

StringId ShortName(ProfileView profile, GpuId id) {
  const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
  const StringId name = gpu.name[Index(id)];
  if (gpu.kind[Index(id)] != GpuKind::kKernel) return name;
  return profile.facts.kernel_names.short_name[profile.facts.KernelRow(name)];
}

void AppendLaunch(const LaunchConfigsTable& launches, LaunchConfigId id, std::vector<Cell>& cells) {
  for (const auto* column : {&launches.grid_x, &launches.grid_y, &launches.grid_z,
                             &launches.block_x, &launches.block_y, &launches.block_z}) {
    cells.push_back(IsSet(id) ? Known((*column)[Index(id)]) : Cell());
  }
}

// Kernels, copies and memsets in DLProf's order: by iteration, op, name and start. DLProf lists
// only kernels, so copies and memsets come last.
std::vector<GpuId> DlprofOrder(const ReportInput& input, const OpTable& table) {
  const Trace& trace = input.profile.trace;
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  std::vector<uint32_t> op_place(table.ops().size());
  std::vector<uint32_t> ops(table.ops().size());
  std::iota(ops.begin(), ops.end(), 0);
  std::sort(ops.begin(), ops.end(), [&](uint32_t a, uint32_t b) {
    return std::tie(table.ops()[a].name, a) < std::tie(table.ops()[b].name, b);
  });
  for (uint32_t place = 0; place < ops.size(); ++place) op_place[ops[place]] = place;
  struct Place {
    bool is_kernel;
    int64_t iteration;
    uint32_t op;
    std::string_view name;
    GpuId id;
  };
  std::vector<Place> places;
  for (size_t i = 0; i < gpu.start.size(); ++i) {
    const GpuId id = MakeId<GpuId>(i);
    const uint32_t row = table.RowOf(id);
    if (row == OpTable::kOutside) continue;
    places.push_back({gpu.kind[i] == GpuKind::kKernel, IterationOf(input.profile, id),
                      op_place[row], trace.Text(ShortName(input.profile, id)), id});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tie(b.is_kernel, a.iteration, a.op, a.name, a.id) <
           std::tie(a.is_kernel, b.iteration, b.op, b.name, b.id);
  });
  std::vector<GpuId> order;
  order.reserve(places.size());
  for (const Place& place : places) order.push_back(place.id);
  return order;
}

class Writer {
 public:
  Writer(const ReportInput& input, const OpTable& table, RowSink& sink)
      : profile_(input.profile),
        table_(table),
        inputs_(input.profile),
        clock_start_(ClockStart(input.profile.trace)),
        sink_(sink) {
    NoteAboutOps(input, table, sink);
    sink.Expect(RowCount(profile_.trace.tables.gpu));
  }

  void Write(GpuId id) {
    const Trace& trace = profile_.trace;
    const FactTables& facts = profile_.facts;
    const GpuActivitiesTable& gpu = trace.tables.gpu;
    const size_t i = Index(id);
    const Op& op = table_.ops()[table_.RowOf(id)];
    Cell tensor_cores = YesNo(false);
    if (gpu.kind[i] == GpuKind::kKernel) tensor_cores = YesNo(facts.TensorCoresOf(gpu.name[i]));
    const ApiId api = facts.gpu.api[i];
    const SignatureId signature = inputs_.SignatureOf(facts.gpu.op[i]);
    cells_.assign({IterationOf(profile_, id), Cell(op.id), Cell(op.name), DirectionOf(op),
                   Cell(op.type), Cell(trace.Text(ShortName(profile_, id))),
                   Known(trace.tables.devices.ordinal[Index(trace.DeviceOf(gpu.stream[i]))]),
                   clock_start_ + gpu.start[i], gpu.duration[i],
                   IsSet(api) ? Cell(clock_start_ + trace.tables.api.start[Index(api)]) : Cell(),
                   IsSet(api) ? Cell(trace.tables.api.duration[Index(api)]) : Cell(),
                   tensor_cores});
    AppendLaunch(trace.tables.launch_configs, gpu.launch_config[i], cells_);
    inputs_.Append(op, signature, cells_);
    cells_.emplace_back(trace.Text(gpu.name[i]));
    cells_.push_back(Known(trace.tables.streams.stream[Index(gpu.stream[i])]));
    cells_.push_back(Known(gpu.bytes[i]));
    cells_.emplace_back(gpu.start[i]);
    cells_.push_back(inputs_.Values(signature));
    sink_.Row(cells_);
    sink_.Link(RowLink::To(id));
  }

 private:
  ProfileView profile_;
  const OpTable& table_;
  Inputs inputs_;
  const TimeNs clock_start_;
  RowSink& sink_;
  std::vector<Cell> cells_;
};

void Compute(const ReportInput& input, RowSink& sink) {
  const auto table = OpTableOf(input);
  Writer writer(input, *table, sink);
  for (const GpuId id : DlprofOrder(input, *table)) writer.Write(id);
}

void ComputeByTime(const ReportInput& input, RowSink& sink) {
  const auto table = OpTableOf(input);
  Writer writer(input, *table, sink);
  for (size_t i = 0; i < RowCount(input.profile.trace.tables.gpu); ++i) {
    if (table->RowOf(MakeId<GpuId>(i)) != OpTable::kOutside) writer.Write(MakeId<GpuId>(i));
  }
}

std::string Text(const ReportInput& input, const TextStyle& style) {
  Report printed = Define();
  printed.compute = ComputeByTime;
  return RenderColumns(
      printed, {"Kernel Name", "Op ID", "Uses TC", "Start (ns)", "GPU Duration (ns)", "Iteration"},
      input, style);
}

}  // namespace

Report Define() {
  return {
      "iteration",
      "GPU work by iteration",
      "every kernel with its iteration and op, then copies and memsets (DLProf's iteration report)",
      {{"Iteration", ColumnType::kInteger, "iteration that started it; derived"},
       kOpIdColumn,
       kOpNameColumn,
       kDirectionColumn,
       kOpTypeColumn,
       {"Kernel Name", ColumnType::kText, "name without arguments and namespaces"},
       {"Device ID", ColumnType::kInteger, "number of the GPU"},
       {"GPU Start Time (ns)", ColumnType::kDurationNs,
        "start, on the clock of Nsight Systems for its recordings, otherwise as Start; measured"},
       {"GPU Duration (ns)", ColumnType::kDurationNs, "time on the GPU; measured"},
       {"API Call Start (ns)", ColumnType::kDurationNs,
        "start of the call that started it, on the same clock"},
       {"API Call Time (ns)", ColumnType::kDurationNs, "duration of that call; measured"},
       {"Uses TC", ColumnType::kYesNo,
        "whether it uses Tensor Cores; from hardware counters if they were read, otherwise from "
        "its name"},
       {"Grid X", ColumnType::kInteger, "blocks in x"},
       {"Grid Y", ColumnType::kInteger, "blocks in y"},
       {"Grid Z", ColumnType::kInteger, "blocks in z"},
       {"Block X", ColumnType::kInteger, "threads per block in x"},
       {"Block Y", ColumnType::kInteger, "threads per block in y"},
       {"Block Z", ColumnType::kInteger, "threads per block in z"},
       {"Data Types", ColumnType::kText, "types of the op's inputs"},
       {"Input Shapes", ColumnType::kText,
        "shapes of the op's inputs; dimensions of convolutions and linear layers have their "
        "letters"},
       {"Parameters", ColumnType::kText,
        "always empty, as DLProf's for PyTorch; see Scalar Inputs"},
       {"Output Shapes", ColumnType::kText,
        "of convolutions and linear layers; derived from their inputs"},
       {"Long Kernel Name", ColumnType::kText, "name as recorded"},
       {"Stream ID", ColumnType::kInteger, "stream it ran on"},
       {"Bytes", ColumnType::kBytes, "bytes copied or set"},
       {"Start (ns)", ColumnType::kDurationNs, "start, from the start of the trace; measured"},
       {"Scalar Inputs", ColumnType::kText, "scalar inputs of the op, as recorded"}},
      Compute,
      Text};
}

}  // namespace warpsight::reports::iteration
