#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/reporting/op_columns.h"
#include "analysis/reporting/op_notes.h"
#include "analysis/reporting/render_columns.h"
#include "analysis/reporting/report_cache.h"

namespace warpsight::reports::iteration {

Report Define();

namespace {

// Inputs of ops as texts, made readable once per distinct signature.
class Inputs {
 public:
  explicit Inputs(ProfileView profile) : profile_(profile) {}

  // Of the op under which the work counts; where that recorded none, of the op that started it.
  SignatureId SignatureOf(HostId innermost) const {
    for (const HostId op : {CountedOp(profile_.facts, innermost), innermost}) {
      if (!IsSet(op)) continue;
      const SignatureId signature = profile_.trace.tables.host.signature[Index(op)];
      if (IsSet(signature)) return signature;
    }
    return kNone<SignatureId>;
  }

  void Append(SignatureId signature, std::vector<Cell>& cells) {
    if (!IsSet(signature)) {
      cells.resize(cells.size() + 3);
      return;
    }
    const SignaturesTable& table = profile_.trace.tables.signatures;
    const auto [at, is_new] = types_.try_emplace(signature);
    if (is_new) at->second = ReadableTypes(profile_.trace.Text(table.types[Index(signature)]));
    cells.emplace_back(std::string_view(at->second));
    cells.emplace_back(profile_.trace.Text(table.dims[Index(signature)]));
    cells.emplace_back(profile_.trace.Text(table.values[Index(signature)]));
  }

 private:
  ProfileView profile_;
  absl::flat_hash_map<SignatureId, std::string> types_;
};

void AppendLaunch(const LaunchConfigsTable& launches, LaunchConfigId id, std::vector<Cell>& cells) {
  for (const auto* column : {&launches.grid_x, &launches.grid_y, &launches.grid_z,
                             &launches.block_x, &launches.block_y, &launches.block_z}) {
    cells.push_back(IsSet(id) ? Known((*column)[Index(id)]) : Cell());
  }
}

void Compute(const ReportInput& input, RowSink& sink) {
  const auto ops = OpTableOf(input);
  const OpTable& table = *ops;
  NoteAboutOps(input, table, sink);
  const Trace& trace = input.profile.trace;
  const FactTables& facts = input.profile.facts;
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  Inputs inputs(input.profile);
  std::vector<Cell> cells;
  sink.Expect(gpu.start.size());
  for (size_t i = 0; i < gpu.start.size(); ++i) {
    const uint32_t row = table.RowOf(MakeId<GpuId>(i));
    if (row == OpTable::kOutside) continue;
    const Op& op = table.ops()[row];
    StringId short_name = gpu.name[i];
    Cell tensor_cores = YesNo(false);
    if (gpu.kind[i] == GpuKind::kKernel) {
      const size_t kernel = facts.KernelRow(gpu.name[i]);
      short_name = facts.kernel_names.short_name[kernel];
      tensor_cores = YesNo(facts.kernel_names.tensor_cores[kernel]);
    }
    const ApiId api = facts.gpu.api[i];
    cells.assign({facts.iterations.number[Index(facts.gpu.iteration[i])], Cell(op.id),
                  Cell(op.name), DirectionOf(op), Cell(op.type), Cell(trace.Text(short_name)),
                  Known(trace.tables.devices.ordinal[Index(trace.DeviceOf(gpu.stream[i]))]),
                  gpu.start[i], gpu.duration[i],
                  IsSet(api) ? Cell(trace.tables.api.start[Index(api)]) : Cell(),
                  IsSet(api) ? Cell(trace.tables.api.duration[Index(api)]) : Cell(), tensor_cores});
    AppendLaunch(trace.tables.launch_configs, gpu.launch_config[i], cells);
    inputs.Append(inputs.SignatureOf(facts.gpu.op[i]), cells);
    cells.emplace_back();
    cells.emplace_back(trace.Text(gpu.name[i]));
    cells.push_back(Known(trace.tables.streams.stream[Index(gpu.stream[i])]));
    cells.push_back(Known(gpu.bytes[i]));
    sink.Row(cells);
    sink.Link(RowLink::To(MakeId<GpuId>(i)));
  }
}

std::string Text(const ReportInput& input, const TextStyle& style) {
  return RenderColumns(
      Define(),
      {"Kernel Name", "Op ID", "Uses TC", "GPU Start Time (ns)", "GPU Duration (ns)", "Iteration"},
      input, style);
}

}  // namespace

Report Define() {
  return {
      "iteration",
      "GPU work by iteration",
      "every kernel, copy and memset in time order (DLProf's iteration report)",
      {{"Iteration", ColumnType::kInteger, "iteration that started it; derived"},
       kOpIdColumn,
       kOpNameColumn,
       kDirectionColumn,
       kOpTypeColumn,
       {"Kernel Name", ColumnType::kText, "name without arguments and namespaces"},
       {"Device ID", ColumnType::kInteger, "number of the GPU"},
       {"GPU Start Time (ns)", ColumnType::kDurationNs,
        "start, from the start of the trace; measured"},
       {"GPU Duration (ns)", ColumnType::kDurationNs, "time on the GPU; measured"},
       {"API Call Start (ns)", ColumnType::kDurationNs, "start of the call that started it"},
       {"API Call Time (ns)", ColumnType::kDurationNs, "duration of that call; measured"},
       {"Uses TC", ColumnType::kYesNo,
        "whether it uses Tensor Cores; from hardware counters where they were read, else its name"},
       {"Grid X", ColumnType::kInteger, "blocks in x"},
       {"Grid Y", ColumnType::kInteger, "blocks in y"},
       {"Grid Z", ColumnType::kInteger, "blocks in z"},
       {"Block X", ColumnType::kInteger, "threads per block in x"},
       {"Block Y", ColumnType::kInteger, "threads per block in y"},
       {"Block Z", ColumnType::kInteger, "threads per block in z"},
       {"Data Types", ColumnType::kText, "types of the op's inputs"},
       {"Input Shapes", ColumnType::kText, "shapes of the op's inputs, as recorded"},
       {"Parameters", ColumnType::kText, "scalar inputs of the op, as recorded"},
       {"Output Shapes", ColumnType::kText, "not recorded by profilers; always empty"},
       {"Long Kernel Name", ColumnType::kText, "name as recorded"},
       {"Stream ID", ColumnType::kInteger, "stream it ran on"},
       {"Bytes", ColumnType::kBytes, "bytes copied or set"}},
      Compute,
      Text};
}

}  // namespace warpsight::reports::iteration
