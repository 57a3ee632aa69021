#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/aggregation/report_cache.h"
#include "analysis/report_parts/op_columns.h"
#include "analysis/report_parts/op_notes.h"
#include "analysis/report_parts/roofline_columns.h"
#include "analysis/reporting/render_columns.h"

namespace warpsight::reports::op_shapes {

Report Define();

namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

// The GPU time of one call: the union of its activities.
struct CallTime {
  HostId op = kNone<HostId>;
  uint32_t row = 0;  // in OpTable::ops()
  DeviceId device = kNone<DeviceId>;
  DurationNs time = 0;
};

struct ShapeRow {
  std::string_view type;
  Cell direction;
  StringId dims = StringId::kEmpty;
  SignatureId inputs = kNone<SignatureId>;
  Tally gpu;
  CostedWork work;
  GpuId first = kNone<GpuId>;
  HostId call = kNone<HostId>;
};

void Merge(CostedWork& to, const CostedWork& from) {
  to.calls += from.calls;
  to.time += from.time;
  to.known_calls += from.known_calls;
  to.known_time += from.known_time;
  if (from.known_calls > 0) Accumulate(to.cost, from.cost);
  if (from.gap != CostGap::kNone) to.gap = from.gap;
}

class Collector {
 public:
  Collector(const ReportInput& input, const OpTable& ops, const OpCosts& costs)
      : input_(input), trace_(input.profile.trace), ops_(ops), costs_(costs) {}

  std::vector<ShapeRow> Run() {
    AddCalls();
    // Work without a call on the CPU has no recorded inputs.
    for (uint32_t row = 0; row < ops_.ops().size(); ++row) {
      const Op& op = ops_.ops()[row];
      if (!without_call_[row] || op.times.gpu.total == 0) continue;
      ShapeRow& to = RowFor(row, kNone<HostId>);
      to.gpu.Merge(op.times.gpu);
      Merge(to.work, costs_.table.ops()[row]);
    }
    std::stable_sort(rows_.begin(), rows_.end(), [](const ShapeRow& a, const ShapeRow& b) {
      return a.gpu.total > b.gpu.total;
    });
    return std::move(rows_);
  }

 private:
  using Key = std::tuple<std::string_view, int, StringId, StringId>;

  void AddCalls() {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    const FactTables& facts = input_.profile.facts;
    constexpr uint32_t kNoCall = UINT32_MAX;
    std::vector<uint32_t> call_of_host(RowCount(trace_.tables.host), kNoCall);
    std::vector<CallTime> calls;
    MarkWorkWithoutCall();
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      const GpuId id = MakeId<GpuId>(g);
      const uint32_t row = ops_.RowOf(id);
      if (row == OpTable::kOutside || without_call_[row]) continue;
      const HostId op = CountedOp(facts, facts.gpu.op[g]);
      uint32_t& call = call_of_host[Index(op)];
      if (call == kNoCall) {
        call = static_cast<uint32_t>(calls.size());
        calls.push_back({op, row, trace_.DeviceOf(gpu.stream[g]), 0});
      }
      calls[call].time += ops_.AddedTime(id);
    }
    for (const CallTime& call : calls) {
      ShapeRow& to = RowFor(call.row, call.op);
      to.gpu.Add(call.time);
      to.work.Add(costs_.model.CostOf(call.op), call.time, costs_.model.PeaksOf(call.device));
    }
  }

  // Marks ops with work that has no call on the CPU, or whose cost was recorded with it.
  void MarkWorkWithoutCall() {
    const FactTables& facts = input_.profile.facts;
    without_call_.assign(ops_.ops().size(), false);
    for (size_t g = 0; g < RowCount(trace_.tables.gpu); ++g) {
      const GpuId id = MakeId<GpuId>(g);
      const uint32_t row = ops_.RowOf(id);
      if (row == OpTable::kOutside) continue;
      if (!IsSet(CountedOp(facts, facts.gpu.op[g])) || costs_.model.IsStated(id) ||
          ops_.ops()[row].named_by_work) {
        without_call_[row] = true;
      }
    }
  }

  ShapeRow& RowFor(uint32_t op_row, HostId call) {
    const Op& op = ops_.ops()[op_row];
    StringId dims = StringId::kEmpty;
    StringId types = StringId::kEmpty;
    SignatureId inputs = kNone<SignatureId>;
    if (IsSet(call)) inputs = trace_.tables.host.signature[Index(call)];
    if (IsSet(inputs)) {
      dims = trace_.tables.signatures.dims[Index(inputs)];
      types = trace_.tables.signatures.types[Index(inputs)];
    }
    const Key key{op.kind(), op.associated() ? static_cast<int>(op.direction) : -1, dims, types};
    const auto [at, is_new] = at_.try_emplace(key, rows_.size());
    if (is_new) {
      rows_.push_back({op.kind(), DirectionOf(op), dims, inputs, {}, {}, op.first_work, call});
    }
    return rows_[at->second];
  }

  const ReportInput& input_;
  const Trace& trace_;
  const OpTable& ops_;
  const OpCosts& costs_;
  std::vector<bool> without_call_;  // by row of ops()
  std::vector<ShapeRow> rows_;
  std::map<Key, size_t> at_;
};

void Compute(const ReportInput& input, RowSink& sink) {
  const auto op_table = OpTableOf(input);
  const auto costs = OpCostsOf(input, *op_table);
  const Trace& trace = input.profile.trace;
  NoteAboutOps(input, *op_table, sink);
  const std::vector<ShapeRow> rows = Collector(input, *op_table, *costs).Run();
  DurationNs all = 0;
  bool any_shapes = false;
  for (const ShapeRow& row : rows) {
    all += row.gpu.total;
    any_shapes |= row.dims != StringId::kEmpty;
  }
  if (!rows.empty() && !any_shapes) {
    sink.Note("The trace has no shapes of inputs: there is one row for each type and direction.");
  }
  std::vector<Cell> cells;
  for (const ShapeRow& row : rows) {
    const std::string types = trace.inputs.ReadableTypes(row.inputs);
    const bool known = row.work.known();
    const Roofline roofline = row.work.Against(costs->model.peaks());
    cells.assign({Cell(row.type), row.direction, TextCell(trace.Text(row.dims)), TextCell(types)});
    cells.emplace_back(row.gpu.count);
    AppendTally(row.gpu, cells);
    cells.push_back(
        all > 0 ? Cell(100.0 * static_cast<double>(row.gpu.total) / static_cast<double>(all))
                : Cell());
    cells.push_back(known ? CountCell(row.work.cost.flops) : Cell());
    cells.push_back(RealCell(roofline.flop_rate, kTera));
    cells.push_back(known ? CountCell(row.work.cost.bytes) : Cell());
    cells.push_back(RealCell(roofline.byte_rate, kGiga));
    cells.push_back(known ? Cell(row.work.cost.measured ? "measured" : "estimated")
                          : TextCell(ToString(row.work.gap)));
    sink.Row(cells);
    if (IsSet(row.call)) {
      sink.Link(RowLink::To(row.call));
    } else if (IsSet(row.first)) {
      sink.Link(RowLink::To(row.first));
    }
  }
}

std::string Text(const ReportInput& input, const TextStyle& style) {
  return RenderColumns(Define(),
                       {"Op Type", "Direction", "Input Shapes", "No. Calls", "Total GPU Time (ns)",
                        "TFLOP/s", "GB/s"},
                       input, style);
}

}  // namespace

Report Define() {
  return {"op_shapes",
          "Ops by shape",
          "ops summed by type, direction and input shapes",
          {kOpTypeColumn,
           kDirectionColumn,
           {"Input Shapes", ColumnType::kText, "of all inputs, in order; as recorded"},
           {"Data Type", ColumnType::kText, "number formats of the inputs; as recorded"},
           {"No. Calls", ColumnType::kInteger, "calls that started GPU work; measured"},
           {"Total GPU Time (ns)", ColumnType::kDurationNs,
            "of those calls: union of their kernels, copies and memsets; measured"},
           {"Avg. GPU Time (ns)", ColumnType::kDurationNs, "the same per call"},
           {"Min GPU Time (ns)", ColumnType::kDurationNs, "the shortest call"},
           {"Max GPU Time (ns)", ColumnType::kDurationNs, "the longest call"},
           {"GPU Time (%)", ColumnType::kPercent, "share of the GPU time of all ops; derived"},
           {"FLOPs", ColumnType::kInteger,
            "of all calls, a multiply-add is two; estimated from shapes"},
           {"TFLOP/s", ColumnType::kReal, "FLOPs / GPU time"},
           {"Bytes", ColumnType::kBytes,
            "of all calls, inputs read once and outputs written once; estimated from shapes"},
           {"GB/s", ColumnType::kReal, "bytes / GPU time"},
           {"Source", ColumnType::kText,
            "estimated from shapes, measured by counters, or why it is unknown"}},
          Compute,
          Text};
}

}  // namespace warpsight::reports::op_shapes
