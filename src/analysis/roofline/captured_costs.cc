#include "analysis/roofline/captured_costs.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "analysis/facts/named_op.h"
#include "analysis/roofline/matrix_ranks.h"
#include "model/hash_map.h"

namespace warpsight {
namespace {

using OpKey = std::pair<StringId, StringId>;              // name and module path
using Inputs = std::tuple<StringId, StringId, StringId>;  // dimensions, types, values

// What the calls of an op in one module have in common.
struct Calls {
  int64_t count = 0;
  Inputs inputs;
  HostId call = kNone<HostId>;  // a call with a known cost
  OpCost cost;
  bool differs = false;      // there are calls with different inputs
  uint8_t rank = 0;          // the highest matrix rank of its kernels: those are its main kernels
  int64_t main_kernels = 0;  // the number of main kernels of that call
};

class Finder {
 public:
  Finder(ProfileView profile, const std::function<OpCost(HostId)>& cost_of)
      : profile_(profile),
        trace_(profile.trace),
        facts_(profile.facts),
        cost_of_(cost_of),
        ranks_(MatrixRanks(profile)) {}

  std::vector<CapturedCost> Run() {
    CollectGraphKernels();
    if (launches_.empty()) return {};
    FindCalls();
    CountMainKernels();
    for (const auto& [place, kernels] : launches_) Share(std::get<OpKey>(place), kernels);
    return std::move(found_);
  }

 private:
  // Collects graph kernels that name their op, by launch and op.
  void CollectGraphKernels() {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    const GpuExtrasTable& extras = trace_.tables.gpu_extras;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      const GpuExtraId extra = NamingExtra(trace_, g);
      if (gpu.kind[g] != GpuKind::kKernel || !IsSet(extra) || !IsSet(facts_.gpu.api[g]) ||
          extras.graph[Index(extra)] == kMissing) {
        continue;
      }
      const OpKey op{extras.op_name[Index(extra)], extras.op_path[Index(extra)]};
      launches_[{facts_.gpu.api[g], op}].push_back(MakeId<GpuId>(g));
      calls_.try_emplace(op);
    }
  }

  void FindCalls() {
    const ModulePathsTable& paths = facts_.module_paths;
    for (size_t i = 0; i < paths.op.size(); ++i) {
      const HostId call = paths.op[i];
      const auto at = calls_.find(OpKey{trace_.tables.host.name[Index(call)], paths.path[i]});
      if (at == calls_.end()) continue;
      Calls& calls = at->second;
      // The captured call is among them: it has inputs, but launched no work from which a cost
      // could be derived.
      const Inputs inputs = InputsOf(call);
      if (calls.count++ == 0) calls.inputs = inputs;
      calls.differs |= inputs != calls.inputs;
      const OpCost cost = cost_of_(call);
      if (!cost.known()) continue;
      if (!IsSet(calls.call)) {
        calls.call = call;
        calls.cost = cost;
      } else {
        calls.differs |= cost.flops != calls.cost.flops || cost.bytes != calls.cost.bytes;
      }
    }
  }

  Inputs InputsOf(HostId call) const {
    const SignaturesTable& t = trace_.tables.signatures;
    const SignatureId id = trace_.tables.host.signature[Index(call)];
    if (!IsSet(id)) return {};
    return {t.dims[Index(id)], t.types[Index(id)], t.values[Index(id)]};
  }

  uint8_t RankOf(GpuId gpu, const Calls& calls) const {
    if (!calls.cost.matrix()) return 0;
    return ranks_[facts_.KernelRow(trace_.tables.gpu.name[Index(gpu)])];
  }

  // Counts the main kernels of one call, to determine the number of calls in a replay.
  void CountMainKernels() {
    HashMap<HostId, Calls*> by_call;
    for (auto& [op, calls] : calls_) {
      if (IsSet(calls.call)) by_call.try_emplace(calls.call, &calls);
    }
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      const HostId inner = facts_.gpu.op[g];
      if (gpu.kind[g] != GpuKind::kKernel || !IsSet(inner)) continue;
      const HostId outer = facts_.host.op[Index(inner)];
      const auto at = by_call.find(IsSet(outer) ? outer : inner);
      if (at == by_call.end()) continue;
      Calls& calls = *at->second;
      const uint8_t rank = RankOf(MakeId<GpuId>(g), calls);
      if (rank > calls.rank) calls.main_kernels = 0;
      calls.rank = std::max(calls.rank, rank);
      calls.main_kernels += rank == calls.rank ? 1 : 0;
    }
  }

  // Divides the cost among the kernels of an op in one replay: its main kernels determine how many
  // calls they represent.
  void Share(const OpKey& op, const std::vector<GpuId>& kernels) {
    const Calls& calls = calls_.find(op)->second;
    if (!IsSet(calls.call) || calls.differs || calls.main_kernels == 0) return;
    std::vector<GpuId> main, helpers;
    for (const GpuId gpu : kernels) {
      (RankOf(gpu, calls) == calls.rank ? main : helpers).push_back(gpu);
    }
    const auto each = static_cast<size_t>(calls.main_kernels);
    if (main.empty() || main.size() % each != 0) return;
    for (const GpuId gpu : helpers) found_.push_back({gpu, calls.call, 0});
    for (size_t first = 0; first < main.size(); first += each) {
      DurationNs time = 0;
      for (size_t i = 0; i < each; ++i) time += DurationOf(main[first + i]);
      for (size_t i = 0; i < each && time > 0; ++i) {
        const auto share =
            static_cast<double>(DurationOf(main[first + i])) / static_cast<double>(time);
        found_.push_back({main[first + i], calls.call, static_cast<float>(share)});
      }
    }
  }

  DurationNs DurationOf(GpuId gpu) const { return trace_.tables.gpu.duration[Index(gpu)]; }

  ProfileView profile_;
  const Trace& trace_;
  const FactTables& facts_;
  const std::function<OpCost(HostId)>& cost_of_;
  const std::vector<uint8_t> ranks_;
  HashMap<std::tuple<ApiId, OpKey>, std::vector<GpuId>> launches_;
  HashMap<OpKey, Calls> calls_;
  std::vector<CapturedCost> found_;
};

}  // namespace

std::vector<CapturedCost> FindCapturedCosts(ProfileView profile,
                                            const std::function<OpCost(HostId)>& cost_of) {
  return Finder(profile, cost_of).Run();
}

}  // namespace warpsight
