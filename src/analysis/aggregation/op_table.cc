#include "analysis/aggregation/op_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/aggregation/call_numbers.h"
#include "analysis/facts/api_version.h"
#include "analysis/facts/named_op.h"
#include "analysis/kernels/eligible_work.h"
#include "analysis/kernels/tensor_core_eligible.h"
#include "model/hash_map.h"

namespace warpsight {
namespace {

constexpr std::string_view kAten = "aten::";

std::string UpperCase(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

// Whether the place of a function that PyProf marked ends with the function itself, as since PyProf
// 3.4: "/main/Net::forward/relu", and "/main/Net::forward/relu[2]" for its second call from there.
bool EndsInFunction(std::string_view place, std::string_view function) {
  if (!IsFunctionPlace(place)) return false;
  std::string_view last = place.substr(place.rfind('/') + 1);
  if (last.ends_with(']')) last = last.substr(0, last.rfind('['));
  return last == function;
}

// The length of a union of intervals that are added in order of start.
struct RunningUnion {
  TimeNs first = 0;
  TimeNs end = 0;
  DurationNs length = 0;
  bool any = false;

  // Returns the length that the interval adds to the union.
  DurationNs Add(TimeNs start, DurationNs duration) {
    if (!any) {
      any = true;
      first = end = start;
    }
    const TimeNs stop = start + duration;
    const DurationNs added = std::max<DurationNs>(0, stop - std::max(start, end));
    length += added;
    end = std::max(end, stop);
    return added;
  }
  DurationNs Holes() const { return end - first - length; }
};

// One call of an op, while its work is collected.
struct Call {
  uint32_t op;
  IterationId iteration;
  DurationNs cpu;
  RunningUnion gpu;
  RunningUnion api;
};

// Collects the calls in the range and sums them by op.
class Collector {
 public:
  Collector(const ReportInput& input, std::vector<Op>& ops)
      : profile_(input.profile),
        range_(input.range),
        trace_(input.profile.trace),
        facts_(input.profile.facts),
        ops_(ops),
        numbers_(input.profile),
        eligible_(input.profile),
        call_of_host_(RowCount(input.profile.trace.tables.host), kNoCall) {}

  void Run(std::vector<uint32_t>& gpu_rows, std::vector<uint8_t>& gpu_eligible,
           std::vector<DurationNs>& gpu_added) {
    AddCalls();
    AddGpuWork(gpu_rows, gpu_eligible, gpu_added);
    AddApiCalls();
    AddLaunches();
  }

  // Sums the calls. The calls of an op are in the order of its iterations, so that an op
  // has few parts per iteration, usually one.
  std::vector<OpIteration> Sum() {
    std::vector<OpIteration> parts;
    std::vector<uint32_t> last(ops_.size(), UINT32_MAX);
    for (const Call& call : calls_) {
      const DurationNs overhead = std::max<DurationNs>(0, call.cpu - call.api.length);
      OpTimes& times = ops_[call.op].times;
      times.cpu.Add(call.cpu);
      times.gpu.Add(call.gpu.length);
      times.cpu_overhead.Add(overhead);
      times.gpu_idle.Add(call.gpu.Holes());

      uint32_t& part = last[call.op];
      if (part == UINT32_MAX || parts[part].iteration != call.iteration) {
        part = static_cast<uint32_t>(parts.size());
        parts.push_back({call.op, call.iteration});
      }
      parts[part].cpu += call.cpu;
      parts[part].gpu += call.gpu.length;
      parts[part].cpu_overhead += overhead;
      parts[part].gpu_idle += call.gpu.Holes();
    }
    return parts;
  }

 private:
  static constexpr uint32_t kNoCall = UINT32_MAX;

  void AddCalls() {
    for (size_t i = 0; i < call_of_host_.size(); ++i) {
      const HostId host = MakeId<HostId>(i);
      if (facts_.host.op[i] != host) continue;
      if (range_.Contains(profile_, facts_.host.iteration[i])) CallOf(host);
    }
  }

  void AddGpuWork(std::vector<uint32_t>& rows, std::vector<uint8_t>& in_eligible,
                  std::vector<DurationNs>& added) {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    rows.assign(gpu.start.size(), OpTable::kOutside);
    in_eligible.assign(gpu.start.size(), 0);
    added.assign(gpu.start.size(), 0);
    for (size_t i = 0; i < gpu.start.size(); ++i) {
      if (!range_.Contains(profile_, facts_.gpu.iteration[i])) continue;
      const HostId counted = CountedOp(facts_, facts_.gpu.op[i]);
      const bool named = CountsUnderNamedOp(trace_, facts_, i);
      const uint32_t number = named            ? NamedCall(i)
                              : IsSet(counted) ? CallOf(counted)
                                               : UnassociatedCall(i);
      added[i] = calls_[number].gpu.Add(gpu.start[i], gpu.duration[i]);
      rows[i] = calls_[number].op;

      Op& op = ops_[rows[i]];
      if (!IsSet(op.first_work)) op.first_work = MakeId<GpuId>(i);
      const bool kernel = gpu.kind[i] == GpuKind::kKernel;
      op.kernels += kernel ? 1 : 0;
      const TensorCores use = kernel ? facts_.TensorCoresOf(gpu.name[i]) : TensorCores::kNo;
      const bool tensor_cores = use == TensorCores::kYes;
      const bool eligible = eligible_(MakeId<GpuId>(i));
      in_eligible[i] = eligible ? 1 : 0;
      op.uses_tensor_cores |= tensor_cores;
      op.may_use_tensor_cores |=
          (eligible || named || IsOwnRange(counted)) && use == TensorCores::kUnknown;
      op.tensor_core_eligible |= eligible || tensor_cores;
    }
  }

  // Whether the op is a user range, whose name does not show what it computes. Ops of frameworks
  // have namespaces: "aten::relu", "flash_attn::_flash_attn_forward".
  bool IsOwnRange(HostId op) const {
    return IsSet(op) &&
           trace_.Text(trace_.tables.host.name[Index(op)]).find("::") == std::string_view::npos;
  }

  StringId TypeOf(HostId op) const { return OpTypeOf(trace_, op); }

  void AddApiCalls() {
    const ApiCallsTable& api = trace_.tables.api;
    for (size_t i = 0; i < api.start.size(); ++i) {
      const HostId counted = CountedOp(facts_, facts_.api.op[i]);
      if (!IsSet(counted)) {
        const ApiId call = MakeId<ApiId>(i);
        const bool counts =
            numbers_.IsOp(call) && range_.Contains(profile_, facts_.api.iteration[i]);
        if (counts) CallOf(call);
        continue;
      }
      const uint32_t number = call_of_host_[Index(counted)];
      if (number != kNoCall) calls_[number].api.Add(api.start[i], api.duration[i]);
    }
  }

  // An API call that launched work of only one named op counts as that op's time. A graph launch
  // starts work of many ops; its time counts under none of them.
  void AddLaunches() {
    const ApiCallsTable& api = trace_.tables.api;
    for (const auto& [id, number] : named_call_of_api_) {
      if (number == kNoCall) continue;
      calls_[number].cpu = api.duration[Index(id)];
      calls_[number].api.Add(api.start[Index(id)], api.duration[Index(id)]);
    }
  }

  uint32_t CallOf(HostId host) {
    uint32_t& number = call_of_host_[Index(host)];
    if (number == kNoCall) {
      number = static_cast<uint32_t>(calls_.size());
      calls_.push_back({OpOf(host),
                        facts_.host.iteration[Index(host)],
                        trace_.tables.host.duration[Index(host)],
                        {},
                        {}});
    }
    return number;
  }

  // Without a recorded launch, each activity counts as a separate call.
  uint32_t NamedCall(size_t gpu) {
    const ApiId api = facts_.gpu.api[gpu];
    const uint32_t op = NamedOp(gpu);
    const uint32_t next = static_cast<uint32_t>(calls_.size());
    if (IsSet(api)) {
      const auto [at, is_new] = call_of_launch_.try_emplace(std::pair(api, op), next);
      if (!is_new) return at->second;
      const auto [only, first] = named_call_of_api_.try_emplace(api, next);
      if (!first) only->second = kNoCall;
    }
    calls_.push_back({op, facts_.gpu.iteration[gpu], 0, {}, {}});
    return next;
  }

  uint32_t NamedOp(size_t gpu) {
    const GpuExtrasTable& extras = trace_.tables.gpu_extras;
    const size_t extra = Index(trace_.tables.gpu.extra[gpu]);
    const StringId path = extras.op_path[extra];
    const Direction direction =
        IsBackwardScope(trace_.Text(path)) ? Direction::kBackward : Direction::kForward;
    const auto [at, is_new] =
        op_of_key_.try_emplace(std::tuple(path, extras.op_name[extra], direction, 0), NextOp());
    if (is_new) {
      Op op;
      op.direction = direction;
      op.named_by_work = true;
      NameOp(path, extras.op_name[extra], NamedOpType(trace_, gpu), op);
      AddOp(std::move(op));
    }
    return at->second;
  }

  // Work without an op belongs to the API call that launched it; without a recorded launch, each
  // activity counts as a separate call.
  uint32_t UnassociatedCall(size_t gpu) {
    const ApiId api = facts_.gpu.api[gpu];
    if (IsSet(api)) return CallOf(api);
    calls_.push_back(
        {UnassociatedOp(api, trace_.tables.gpu.kind[gpu]), facts_.gpu.iteration[gpu], 0, {}, {}});
    return static_cast<uint32_t>(calls_.size()) - 1;
  }

  // The call for an API call outside all ops.
  uint32_t CallOf(ApiId api) {
    const auto [at, is_new] = call_of_api_.try_emplace(api, static_cast<uint32_t>(calls_.size()));
    if (is_new) {
      const size_t row = Index(api);
      Call call{UnassociatedOp(api, GpuKind::kKernel),
                facts_.api.iteration[row],
                trace_.tables.api.duration[row],
                {},
                {}};
      call.api.Add(trace_.tables.api.start[row], call.cpu);
      calls_.push_back(call);
    }
    return at->second;
  }

  // The marked function to which `host` belongs as a backward node; otherwise `host` itself.
  HostId NamingOp(HostId host) const {
    const HostId forward = facts_.host.forward[Index(host)];
    if (!IsSet(forward) || IsFunctionPlace(trace_.RecordedPath(Index(host)))) return host;
    const HostId function = CountedOp(facts_, forward);
    return IsSet(function) && IsFunctionPlace(trace_.RecordedPath(Index(function))) ? function
                                                                                    : host;
  }

  uint32_t OpOf(HostId host) {
    const Direction direction = facts_.host.direction[Index(host)];
    const HostId naming = NamingOp(host);
    const StringId name = trace_.tables.host.name[Index(naming)];
    const StringId path = PathOf(naming);
    const auto [at, is_new] =
        op_of_key_.try_emplace(std::tuple(path, name, direction, numbers_.Of(naming)), NextOp());
    if (is_new) {
      Op op;
      op.direction = direction;
      op.first_call = host;
      op.naming_op = naming;
      NameOp(path, name, TypeOf(naming), op);
      AddOp(std::move(op));
    }
    return at->second;
  }

  void NameOp(StringId path_id, StringId name_id, StringId type, Op& op) {
    const std::string_view kind = trace_.Text(type);
    const std::string_view path = trace_.Text(path_id);
    const std::string_view name = trace_.Text(name_id);
    op.type = kind.starts_with(kAten) ? kind.substr(kAten.size()) : kind;
    if (EndsInFunction(path, name)) {
      op.name = path;
      op.path = path.substr(0, path.rfind('/'));
    } else {
      op.name = path.empty() ? std::string(name) : fmt::format("{}/{}", path, name);
      op.path = path;
    }
    op.tensor_core_eligible = eligible_.IsEligible(type);
  }

  uint32_t UnassociatedOp(ApiId api, GpuKind kind) {
    static constexpr std::array<std::string_view, 3> kKinds = {"kernel", "memcpy", "memset"};
    const ApiCallsTable& calls = trace_.tables.api;
    const StringId function = IsSet(api) ? calls.name[Index(api)] : kNone<StringId>;
    const int64_t version = IsSet(api) ? versions_.Of(calls.args[Index(api)], trace_) : kMissing;
    // Without an API call, the kind of work is used instead of the function: an id that is not a
    // string's.
    const std::tuple key(function, version, IsSet(api) ? GpuKind::kKernel : kind,
                         IsSet(api) ? numbers_.Of(api) : 0);
    const auto [at, is_new] = op_of_function_.try_emplace(key, NextOp());
    if (is_new) {
      Op op;
      op.type = IsSet(api) ? NameWithVersion(trace_.Text(function), version)
                           : std::string(kKinds[static_cast<size_t>(kind)]);
      op.name = fmt::format("unassociated_{}", op.type);
      op.first_api = api;
      AddOp(std::move(op));
    }
    return at->second;
  }

  uint32_t NextOp() const { return static_cast<uint32_t>(ops_.size()); }

  void AddOp(Op op) {
    op.id = fmt::format("{}_{}", UpperCase(op.type), ++ops_of_type_[op.type]);
    ops_.push_back(std::move(op));
  }

  StringId PathOf(HostId host) const {
    const auto& ops = facts_.module_paths.op;
    const auto at = std::lower_bound(ops.begin(), ops.end(), host);
    if (at == ops.end() || *at != host) return StringId::kEmpty;
    return facts_.module_paths.path[static_cast<size_t>(at - ops.begin())];
  }

  ProfileView profile_;
  const RangeSummary& range_;
  const Trace& trace_;
  const FactTables& facts_;
  std::vector<Op>& ops_;
  const CallNumbers numbers_;
  EligibleWork eligible_;
  std::vector<Call> calls_;
  std::vector<uint32_t> call_of_host_;
  HashMap<ApiId, uint32_t> call_of_api_;
  HashMap<std::pair<ApiId, uint32_t>, uint32_t> call_of_launch_;  // of named ops
  HashMap<ApiId, uint32_t> named_call_of_api_;  // kNoCall: it launched work of several ops
  HashMap<std::tuple<StringId, StringId, Direction, uint32_t>, uint32_t> op_of_key_;
  HashMap<std::tuple<StringId, int64_t, GpuKind, uint32_t>, uint32_t> op_of_function_;
  ApiVersions versions_;
  HashMap<std::string, int64_t> ops_of_type_;
};

}  // namespace

void Tally::Add(DurationNs duration) { Merge({1, duration, duration, duration}); }

void Tally::Merge(const Tally& other) {
  if (other.count == 0) return;
  min = count == 0 ? other.min : std::min(min, other.min);
  max = count == 0 ? other.max : std::max(max, other.max);
  count += other.count;
  total += other.total;
}

double Tally::Average() const {
  return count == 0 ? 0 : static_cast<double>(total) / static_cast<double>(count);
}

void OpTimes::Merge(const OpTimes& other) {
  cpu.Merge(other.cpu);
  gpu.Merge(other.gpu);
  cpu_overhead.Merge(other.cpu_overhead);
  gpu_idle.Merge(other.gpu_idle);
}

RowLink Op::Place() const {
  if (IsSet(first_call)) return RowLink::To(first_call);
  return IsSet(first_work) ? RowLink::To(first_work) : RowLink::To(first_api);
}

OpTable::OpTable(const ReportInput& input) {
  Collector collector(input, ops_);
  collector.Run(gpu_rows_, gpu_eligible_, gpu_added_);
  by_iteration_ = collector.Sum();
}

std::vector<uint32_t> OpTable::RowsByTime() const {
  std::vector<uint32_t> rows(ops_.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(), [this](uint32_t a, uint32_t b) {
    return std::pair(ops_[a].times.gpu.total, ops_[a].times.cpu.total) >
           std::pair(ops_[b].times.gpu.total, ops_[b].times.cpu.total);
  });
  return rows;
}

std::vector<uint32_t> OpTable::RowsById() const {
  std::vector<uint32_t> rows(ops_.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::sort(rows.begin(), rows.end(),
            [this](uint32_t a, uint32_t b) { return ops_[a].id < ops_[b].id; });
  return rows;
}

OpTotals SumOps(const OpTable& table) {
  OpTotals totals;
  for (const Op& op : table.ops()) {
    OpTotals::Part& kind = op.uses_tensor_cores       ? totals.using_tensor_cores
                           : !op.tensor_core_eligible ? totals.other
                           : op.may_use_tensor_cores  ? totals.eligible_unknown
                                                      : totals.eligible_only;
    for (OpTotals::Part* part : {&totals.all, &kind}) {
      part->gpu += op.times.gpu.total;
      part->cpu += op.times.cpu.total;
      part->calls += op.calls();
      ++part->count;
    }
  }
  return totals;
}

}  // namespace warpsight
