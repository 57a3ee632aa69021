#include "analysis/roofline/cost_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/facts/counters.h"
#include "analysis/facts/named_op.h"
#include "analysis/facts/range_names.h"
#include "analysis/roofline/captured_costs.h"
#include "analysis/roofline/matrix_ranks.h"
#include "model/hash_map.h"

namespace warpsight {
namespace {

constexpr uint32_t kNothing = UINT32_MAX;

bool TouchesHost(CopyDirection direction) {
  return direction == CopyDirection::kHostToDevice || direction == CopyDirection::kDeviceToHost ||
         direction == CopyDirection::kHostToHost;
}

const OpRule* RuleOf(std::string_view name) { return FindOpRule(name); }

}  // namespace

// Fills a CostModel.
class CostModel::Builder {
 public:
  Builder(ProfileView profile, CostModel& model)
      : profile_(profile),
        trace_(profile.trace),
        facts_(profile.facts),
        model_(model),
        rules_(profile.trace, RuleOf),
        graph_launch_(profile.trace, IsGraphLaunch),
        hosts_(RowCount(profile.trace.tables.host)),
        gpus_(RowCount(profile.trace.tables.gpu)) {}

  void Run() {
    for (size_t gap = 0; gap <= static_cast<size_t>(CostGap::kAuxiliaryKernel); ++gap) {
      model_.costs_.emplace_back().gap = static_cast<CostGap>(gap);
    }
    state_.assign(hosts_, 0);
    model_.tensor_cores_.assign(hosts_, 0);
    ReadCountersOfKernels();
    MarkLaunches();
    CostOps();
    ShareAmongKernels();
    TakeStatedCosts();
    TakeCapturedCosts();
  }

 private:
  // The state of a row while costs are computed. Children update their parents.
  enum State : uint8_t {
    kLaunched = 1,    // launched GPU work itself
    kWorks = 2,       // it, or an op inside it, launched GPU work
    kHostCopies = 4,  // that work includes copies from or to the host
    kIncomplete = 8,  // some of the work inside it has no cost
    kOwnSum = 16,     // the entry of sums_ is a separate entry in costs_
    kOwnCost = 32,    // its cost comes from its own formula
  };

  static uint32_t GapCost(CostGap gap) { return static_cast<uint32_t>(gap); }

  const OpRule* RuleAt(size_t h) {
    const HostRangesTable& host = trace_.tables.host;
    return host.kind[h] == HostKind::kOp ? rules_[host.name[h]] : nullptr;
  }

  void MarkLaunches() {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    for (size_t i = 0; i < gpus_; ++i) {
      const HostId op = facts_.gpu.op[i];
      if (!IsSet(op)) continue;
      uint8_t& state = state_[Index(op)];
      state |= kLaunched | kWorks;
      if (gpu.kind[i] == GpuKind::kCopy && TouchesHost(gpu.copy_direction[i])) {
        state |= kHostCopies;
      }
      if (gpu.kind[i] != GpuKind::kKernel) continue;
      if (facts_.TensorCoresOf(gpu.name[i]) == TensorCores::kYes) {
        model_.tensor_cores_[Index(op)] = 1;
      }
      const OpRule* rule = RuleAt(Index(op));
      if (rule != nullptr && TakesLists(*rule)) {
        const int64_t bytes = facts_.KindOf(gpu.name[i]).element_bytes;
        element_bytes_[op] = bytes == kMissing ? kMissingReal : static_cast<double>(bytes);
      }
    }
    if (gpus_ > 0) return;
    // A trace without GPU work may still contain launches, for example if counters were recorded.
    const ApiCallsTable& api = trace_.tables.api;
    for (size_t i = 0; i < api.start.size(); ++i) {
      if (IsSet(facts_.api.op[i]) && IsLaunch(trace_.Text(api.name[i]))) {
        state_[Index(facts_.api.op[i])] |= kLaunched | kWorks;
      }
    }
  }

  // From the last row to the first, so that inner ops are processed before the ops around them.
  void CostOps() {
    sums_.assign(hosts_, kNothing);
    model_.cost_of_host_.assign(hosts_, GapCost(CostGap::kNoGpuWork));
    for (size_t h = hosts_; h-- > 0;) {
      if ((state_[h] & kWorks) == 0) continue;
      uint32_t cost = Choose(h);
      if (!measured_.empty()) cost = WithCounters(h, cost);
      model_.cost_of_host_[h] = cost;
      TellParent(h, cost);
    }
  }

  uint32_t Choose(size_t h) {
    const bool launched = (state_[h] & kLaunched) != 0;
    if ((state_[h] & kHostCopies) != 0) return GapCost(CostGap::kHostCopy);
    const bool summed = sums_[h] != kNothing && (state_[h] & kIncomplete) == 0 && !launched;
    const OpRule* rule = RuleAt(h);
    if (rule == nullptr) {
      if (summed) return sums_[h];
      return GapCost(launched ? CostGap::kUnknownOp : CostGap::kPartly);
    }
    if (Dispatches(*rule) && summed) return sums_[h];
    const uint32_t own = OwnCost(h, *rule);
    if (model_.costs_[own].known()) {
      state_[h] |= kOwnCost;
      if (!AddsInner(*rule) || sums_[h] == kNothing || (state_[h] & kIncomplete) != 0) return own;
      own_cost_[static_cast<uint32_t>(h)] = own;
      const uint32_t both = AddCost(OpCost(model_.costs_[own]));
      Accumulate(model_.costs_[both], OpCost(model_.costs_[sums_[h]]));
      return both;
    }
    return summed ? sums_[h] : own;
  }

  void TellParent(size_t h, uint32_t cost) {
    const HostId parent_id = facts_.host.parent[h];
    if (!IsSet(parent_id)) return;
    const size_t parent = Index(parent_id);
    state_[parent] |= kWorks | (state_[h] & kHostCopies);
    model_.tensor_cores_[parent] |= model_.tensor_cores_[h];
    if (!model_.costs_[cost].known()) {
      state_[parent] |= kIncomplete;
      return;
    }
    uint32_t& sum = sums_[parent];
    if (sum == kNothing) {
      sum = cost;
      return;
    }
    if ((state_[parent] & kOwnSum) == 0) {
      model_.costs_.push_back(OpCost(model_.costs_[sum]));
      sum = static_cast<uint32_t>(model_.costs_.size() - 1);
      state_[parent] |= kOwnSum;
    }
    Accumulate(model_.costs_[sum], OpCost(model_.costs_[cost]));
  }

  // The cost by the op's own formula; computed once per distinct inputs.
  uint32_t OwnCost(size_t h, const OpRule& rule) {
    const HostRangesTable& host = trace_.tables.host;
    SignatureId forward = kNone<SignatureId>;
    if (UsesForward(rule) && IsSet(facts_.host.forward[h])) {
      forward = host.signature[Index(facts_.host.forward[h])];
    }
    double element_bytes = kMissingReal;
    if (TakesLists(rule)) {
      const auto at = element_bytes_.find(MakeId<HostId>(h));
      if (at != element_bytes_.end()) element_bytes = at->second;
    }
    const StringId step = UsesLengths(rule) ? StepAround(h) : StringId::kEmpty;
    const Key key{host.name[h], host.signature[h], forward, static_cast<int>(element_bytes), step};
    const auto [at, is_new] = known_.try_emplace(key, 0);
    if (is_new) at->second = Estimate(rule, host.signature[h], forward, element_bytes, step);
    return at->second;
  }

  uint32_t Estimate(const OpRule& rule, SignatureId own_id, SignatureId forward_id,
                    double element_bytes, StringId step) {
    CostInput input;
    input.own = trace_.inputs.Of(own_id);
    input.forward = trace_.inputs.Of(forward_id);
    input.list_element_bytes = element_bytes;
    const auto lengths = ParseSequenceLengths(trace_.Text(step));
    if (lengths) input.lengths = &*lengths;
    const OpCost cost = EstimateCost(rule, input);
    if (!cost.known()) return GapCost(cost.gap);
    model_.costs_.push_back(cost);
    return static_cast<uint32_t>(model_.costs_.size() - 1);
  }

  // The name of the range around an op that contains the lengths of the sequences.
  StringId StepAround(size_t h) const {
    const HostRangesTable& host = trace_.tables.host;
    for (HostId around = facts_.host.parent[h]; IsSet(around);
         around = facts_.host.parent[Index(around)]) {
      const StringId name = host.name[Index(around)];
      if (host.kind[Index(around)] == HostKind::kAnnotation &&
          ParseSequenceLengths(trace_.Text(name))) {
        return name;
      }
    }
    return StringId::kEmpty;
  }

  // The innermost op around a kernel's launch that has a cost by its own formula.
  uint32_t OwnerOf(size_t gpu) const {
    for (HostId op = facts_.gpu.op[gpu]; IsSet(op); op = facts_.host.parent[Index(op)]) {
      if ((state_[Index(op)] & kOwnCost) != 0) return static_cast<uint32_t>(Index(op));
    }
    return kNothing;
  }

  uint32_t OwnCostOf(uint32_t owner) const {
    const auto at = own_cost_.find(owner);
    return at == own_cost_.end() ? model_.cost_of_host_[owner] : at->second;
  }

  // The kernels with the highest matrix rank are the main kernels of their op. They share its cost
  // in proportion to their time. For ops that are not matrix products, all kernels are main
  // kernels.
  void ShareAmongKernels() {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    const std::vector<uint8_t> ranks = MatrixRanks(profile_);
    std::vector<uint32_t> owners(gpus_, kNothing);
    std::vector<uint8_t> rank(gpus_, 0);
    std::vector<uint8_t> best(hosts_, 0);
    std::vector<DurationNs> time(hosts_, 0);
    for (size_t i = 0; i < gpus_; ++i) {
      if (gpu.kind[i] != GpuKind::kKernel) continue;
      owners[i] = OwnerOf(i);
      if (owners[i] == kNothing) continue;
      if (model_.costs_[OwnCostOf(owners[i])].matrix()) {
        rank[i] = ranks[facts_.KernelRow(gpu.name[i])];
      }
      if (rank[i] > best[owners[i]]) {
        best[owners[i]] = rank[i];
        time[owners[i]] = 0;
      }
      if (rank[i] == best[owners[i]]) time[owners[i]] += gpu.duration[i];
    }
    model_.gpu_cost_.assign(gpus_, GapCost(CostGap::kNoOp));
    model_.gpu_share_.assign(gpus_, 0);
    for (size_t i = 0; i < gpus_; ++i) {
      const uint32_t owner = owners[i];
      if (const auto at = measured_.find(MakeId<GpuId>(i)); at != measured_.end()) {
        SetMeasured(i, owner, at->second);
      } else if (owner == kNothing) {
        model_.gpu_cost_[i] = CostWithoutOwner(i);
      } else if (rank[i] < best[owner]) {
        model_.gpu_cost_[i] = GapCost(CostGap::kAuxiliaryKernel);
      } else if (time[owner] > 0) {
        model_.gpu_cost_[i] = OwnCostOf(owner);
        model_.gpu_share_[i] = static_cast<float>(static_cast<double>(gpu.duration[i]) /
                                                  static_cast<double>(time[owner]));
      }
    }
  }

  // Why GPU work without an op's formula has no cost.
  uint32_t CostWithoutOwner(size_t i) {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    if (gpu.kind[i] != GpuKind::kKernel) return GapCost(CostGap::kNoOp);
    if (facts_.KindOf(gpu.name[i]).family == KernelFamily::kCollective) {
      return GapCost(CostGap::kCollective);
    }
    const HostId op = facts_.gpu.op[i];
    if (IsSet(op)) return model_.cost_of_host_[Index(op)];
    const ApiId call = facts_.gpu.api[i];
    if (IsSet(call) && graph_launch_[trace_.tables.api.name[Index(call)]]) {
      return GapCost(CostGap::kGraph);
    }
    return GapCost(IsSet(NamingExtra(trace_, i)) ? CostGap::kNoShapes : CostGap::kNoOp);
  }

  // Counters are among the arguments that have no column.
  void ReadCountersOfKernels() {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    const GpuExtrasTable& extras = trace_.tables.gpu_extras;
    if (extras.args.empty()) return;
    HashMap<StringId, MeasuredWork> by_text;
    for (size_t i = 0; i < gpus_; ++i) {
      if (!IsSet(gpu.extra[i])) continue;
      const StringId args = extras.args[Index(gpu.extra[i])];
      const auto [at, is_new] = by_text.try_emplace(args);
      if (is_new) at->second = ReadCounters(trace_.Text(args));
      if (at->second.any()) measured_[MakeId<GpuId>(i)] = at->second;
    }
    if (measured_.empty()) return;
    op_counters_.resize(hosts_);
    for (size_t i = 0; i < gpus_; ++i) {
      if (gpu.kind[i] != GpuKind::kKernel) continue;
      const auto at = measured_.find(MakeId<GpuId>(i));
      // A kernel counts for every op around it.
      for (HostId op = facts_.gpu.op[i]; IsSet(op); op = facts_.host.parent[Index(op)]) {
        op_counters_[Index(op)].Add(at == measured_.end() ? MeasuredWork() : at->second);
      }
    }
  }

  // Costs that the compiler states for one run of an op: the kernels of that run share them in
  // proportion to their time.
  void TakeStatedCosts() {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    const GpuExtrasTable& extras = trace_.tables.gpu_extras;
    HashMap<StringId, uint32_t> by_args;             // index in costs_, or kNothing
    std::vector<std::pair<size_t, size_t>> kernels;  // and the runs to which they belong
    std::vector<DurationNs> run_times;
    HashMap<std::tuple<DeviceId, StringId, StringId>, OpRun> current;
    for (size_t i = 0; i < gpus_; ++i) {
      const GpuExtraId extra = NamingExtra(trace_, i);
      if (gpu.kind[i] != GpuKind::kKernel || !IsSet(extra) || model_.gpu_share_[i] > 0) continue;
      const StringId args = extras.args[Index(extra)];
      const auto [at, is_new] = by_args.try_emplace(args, kNothing);
      if (is_new) at->second = StatedCost(trace_.Text(args));
      if (at->second == kNothing) continue;
      model_.gpu_cost_[i] = at->second;
      OpRun& run = current[{trace_.DeviceOf(gpu.stream[i]), extras.op_name[Index(extra)],
                            extras.op_path[Index(extra)]}];
      if (!run.Takes(gpu.name[i])) {
        run.number = run_times.size();
        run.names.assign({gpu.name[i]});
        run_times.push_back(0);
      }
      run_times[run.number] += gpu.duration[i];
      kernels.emplace_back(i, run.number);
    }
    if (kernels.empty()) return;
    model_.stated_.assign(gpus_, 0);
    for (const auto& [i, run] : kernels) {
      if (run_times[run] <= 0) continue;
      model_.stated_[i] = 1;
      model_.gpu_share_[i] = static_cast<float>(static_cast<double>(gpu.duration[i]) /
                                                static_cast<double>(run_times[run]));
    }
  }

  // Costs of kernels replayed by a graph, from calls of their ops outside the graph.
  void TakeCapturedCosts() {
    const auto cost_of = [this](HostId op) {
      return model_.costs_[model_.cost_of_host_[Index(op)]];
    };
    const std::vector<CapturedCost> captured = FindCapturedCosts(profile_, cost_of);
    if (captured.empty()) return;
    model_.stated_.resize(gpus_, 0);
    for (const CapturedCost& kernel : captured) {
      const size_t i = Index(kernel.gpu);
      if (model_.gpu_share_[i] > 0 || model_.costs_[model_.gpu_cost_[i]].measured) continue;
      model_.stated_[i] = 1;
      model_.gpu_share_[i] = kernel.share;
      model_.gpu_cost_[i] = kernel.share > 0 ? model_.cost_of_host_[Index(kernel.call)]
                                             : GapCost(CostGap::kAuxiliaryKernel);
    }
  }

  // The kernels of one run of an op. If a kernel occurs again, it belongs to the next run.
  struct OpRun {
    size_t number = 0;
    std::vector<StringId> names;

    bool Takes(StringId name) {
      if (names.empty() || std::find(names.begin(), names.end(), name) != names.end()) return false;
      names.push_back(name);
      return true;
    }
  };

  uint32_t StatedCost(std::string_view args) {
    const StatedWork work = ReadStatedWork(args);
    if (!work.any()) return kNothing;
    OpCost cost;
    cost.flops = work.flops;
    cost.bytes = work.bytes;
    cost.matrix_flops = work.matrix_flops;
    cost.precision = PrecisionOf(work.matrix_type);
    cost.family = work.matrix_flops > 0 ? "gemm" : "fused";
    cost.gap = CostGap::kNone;
    return AddCost(cost);
  }

  // The sums of the counters of an op's kernels.
  struct CounterSum {
    double flops = 0;
    double bytes = 0;
    int64_t kernels = 0;

    void Add(const MeasuredWork& work) {
      ++kernels;
      flops = flops < 0 || work.flops < 0 ? kMissingReal : flops + work.flops;
      bytes = bytes < 0 || work.bytes < 0 ? kMissingReal : bytes + work.bytes;
    }
  };

  // Counters replace estimates if every kernel of the op has them.
  uint32_t WithCounters(size_t h, uint32_t cost_index) {
    const CounterSum& sum = op_counters_[h];
    if (sum.kernels == 0 || (sum.flops < 0 && sum.bytes < 0)) return cost_index;
    return AddCost(Replaced(model_.costs_[cost_index], sum.flops, sum.bytes));
  }

  static OpCost Replaced(OpCost cost, double flops, double bytes) {
    if (flops >= 0) {
      cost.matrix_flops = cost.matrix() ? flops : 0;
      cost.flops = flops;
    }
    if (bytes >= 0) cost.bytes = bytes;
    if (!cost.known()) cost.family = "measured";
    cost.gap = CostGap::kNone;
    cost.measured = true;
    return cost;
  }

  void SetMeasured(size_t gpu, uint32_t owner, const MeasuredWork& work) {
    const OpCost estimate =
        owner == kNothing ? OpCost() : model_.costs_[model_.cost_of_host_[owner]];
    OpCost cost;
    cost.precision = estimate.precision;
    cost.family = estimate.family;
    cost.matrix_flops = estimate.matrix_flops;
    model_.gpu_cost_[gpu] = AddCost(Replaced(cost, work.flops, work.bytes));
    model_.gpu_share_[gpu] = 1;
  }

  uint32_t AddCost(const OpCost& cost) {
    model_.costs_.push_back(cost);
    return static_cast<uint32_t>(model_.costs_.size() - 1);
  }

  using Key = std::tuple<StringId, SignatureId, SignatureId, int, StringId>;

  ProfileView profile_;
  const Trace& trace_;
  const FactTables& facts_;
  CostModel& model_;
  ByName<const OpRule*> rules_;
  ByName<bool> graph_launch_;
  const size_t hosts_;
  const size_t gpus_;
  std::vector<uint8_t> state_;  // by host row
  std::vector<uint32_t> sums_;  // by host row: sum of the costs of the ops inside
  HashMap<Key, uint32_t> known_;
  HashMap<HostId, double> element_bytes_;  // of ops on lists of tensors
  HashMap<uint32_t, uint32_t> own_cost_;   // of ops whose cost includes that of inner ops
  HashMap<GpuId, MeasuredWork> measured_;
  std::vector<CounterSum> op_counters_;  // by host row, if there are any counters
};

CostModel::CostModel(ProfileView profile, const std::optional<GpuPeaks>& overrides)
    : profile_(profile) {
  const TraceTables& tables = profile.trace.tables;
  for (size_t i = 0; i < RowCount(tables.devices); ++i) {
    std::optional<GpuPeaks> peaks =
        FindGpuPeaks(profile.trace.Text(tables.devices.name[i]), tables.devices.memory_bytes[i],
                     tables.devices.sms[i]);
    if (overrides) peaks = WithOverrides(peaks, *overrides);
    peaks_.push_back(peaks);
  }
  if (!tables.gpu.stream.empty()) first_device_ = profile.trace.DeviceOf(tables.gpu.stream[0]);
  Builder(profile, *this).Run();
}

const std::optional<GpuPeaks>& CostModel::peaks() const {
  static const std::optional<GpuPeaks> none;
  return IsSet(first_device_) ? peaks_[Index(first_device_)] : none;
}

std::string CostModel::DescribePeaks() const {
  if (!IsSet(first_device_))
    return "The trace contains no GPU work: there is no GPU to compare with.";
  const std::string_view name =
      profile_.trace.Text(profile_.trace.tables.devices.name[Index(first_device_)]);
  if (!peaks()) {
    return fmt::format(
        "The peaks of the GPU ({}) are unknown: set them with --peaks "
        "bf16=TFLOPS,fp32=TFLOPS,bandwidth=GBS.",
        name.empty() ? "of unknown name" : name);
  }
  std::string text;
  const auto add = [&text](std::string_view format, double value) {
    if (IsKnown(value)) {
      text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", format, value / 1e12);
    }
  };
  add("fp64", peaks()->fp64);
  add("fp32", peaks()->fp32);
  add("tf32", peaks()->tf32);
  add("bf16", peaks()->bf16);
  add("fp16", peaks()->fp16);
  add("fp8", peaks()->fp8);
  return fmt::format("Peaks of {}: {} TFLOP/s dense, {:.4g} GB/s ({}).", peaks()->name, text,
                     peaks()->bandwidth / 1e9, peaks()->source);
}

OpCost CostModel::CostOf(HostId op) const {
  if (!IsSet(op)) {
    OpCost none;
    none.gap = CostGap::kNoOp;
    return none;
  }
  OpCost cost = costs_[cost_of_host_[Index(op)]];
  // fp32 products that ran on Tensor Cores are tf32, except on AMD's matrix cores, which also
  // support fp32.
  const bool has_fp32_matrix = peaks() && IsKnown(peaks()->fp32_matrix);
  if (cost.matrix() && cost.precision == Precision::kFp32 && tensor_cores_[Index(op)] != 0 &&
      !has_fp32_matrix) {
    cost.precision = Precision::kTf32;
  }
  return cost;
}

OpCost CostModel::CostOf(GpuId gpu) const {
  const GpuActivitiesTable& table = profile_.trace.tables.gpu;
  const size_t row = Index(gpu);
  if (table.kind[row] != GpuKind::kKernel) {
    OpCost cost;
    cost.gap = CostGap::kNoShapes;
    if (TouchesHost(table.copy_direction[row])) cost.gap = CostGap::kHostCopy;
    if (cost.gap == CostGap::kHostCopy || table.bytes[row] == kMissing) return cost;
    cost.gap = CostGap::kNone;
    cost.family = "copy";
    cost.flops = 0;
    cost.measured = true;
    const double passes = table.kind[row] == GpuKind::kCopy ? 2 : 1;
    cost.bytes = passes * static_cast<double>(table.bytes[row]);
    return cost;
  }
  OpCost cost = costs_[gpu_cost_[row]];
  if (!cost.known()) return cost;
  const auto share = static_cast<double>(gpu_share_[row]);
  if (share <= 0) {
    OpCost none;
    none.gap = CostGap::kPartly;
    return none;
  }
  if (IsKnown(cost.flops)) cost.flops *= share;
  if (IsKnown(cost.bytes)) cost.bytes *= share;
  cost.matrix_flops *= share;
  if (cost.matrix() && cost.precision == Precision::kFp32 &&
      profile_.facts.TensorCoresOf(table.name[row]) == TensorCores::kYes &&
      !(peaks() && IsKnown(peaks()->fp32_matrix))) {
    cost.precision = Precision::kTf32;
  }
  return cost;
}

namespace {

// The first result of `ask` for an op itself or an op inside it. Inner ops take precedence over an
// op that only calls other ops.
template <typename Ask>
auto AskInside(const Trace& trace, HostId op, Ask&& ask) -> decltype(ask(0, false)) {
  const HostRangesTable& host = trace.tables.host;
  const size_t row = Index(op);
  if (auto own = ask(row, false)) return own;
  const TimeNs end = host.start[row] + host.duration[row];
  for (size_t h = row + 1; h < host.start.size() && host.start[h] < end; ++h) {
    if (host.thread[h] != host.thread[row]) continue;
    if (auto inner = ask(h, false)) return inner;
  }
  return ask(row, true);
}

}  // namespace

std::optional<GemmShape> CostModel::GemmOf(HostId op) const {
  if (!IsSet(op)) return std::nullopt;
  const Trace& trace = profile_.trace;
  return AskInside(trace, op, [&](size_t h, bool dispatching) -> std::optional<GemmShape> {
    const OpRule* rule = FindOpRule(trace.Text(trace.tables.host.name[h]));
    if (rule == nullptr || Dispatches(*rule) != dispatching) return std::nullopt;
    const Signature* signature = trace.InputsOf(MakeId<HostId>(h));
    return signature != nullptr ? GemmShapeOf(*rule, *signature) : std::nullopt;
  });
}

std::optional<ConvShape> CostModel::ConvOf(HostId op) const {
  if (!IsSet(op)) return std::nullopt;
  const Trace& trace = profile_.trace;
  return AskInside(trace, op, [&](size_t h, bool dispatching) -> std::optional<ConvShape> {
    const OpRule* rule = FindOpRule(trace.Text(trace.tables.host.name[h]));
    if (rule == nullptr || Dispatches(*rule) != dispatching) return std::nullopt;
    const Signature* signature = trace.InputsOf(MakeId<HostId>(h));
    return signature != nullptr ? ConvShapeOf(*rule, *signature) : std::nullopt;
  });
}

}  // namespace warpsight
