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

using OpKey = std::pair<StringId, StringId>;  // name and module path

// What the calls of an op in one module have in common.
struct Eager {
  HostId call = kNone<HostId>;
  OpCost cost;
  bool differs = false;
  uint8_t rank = 0;           // of its main kernels
  int64_t main_kernels = 0;   // of that call
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
    FindEagerCalls();
    CountMainKernels();
    for (const auto& [place, kernels] : launches_) Share(std::get<OpKey>(place), kernels);
    return std::move(found_);
  }

 private:
  // Those that name their op, by launch and op.
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
      eager_.try_emplace(op);
    }
  }

  void FindEagerCalls() {
    const ModulePathsTable& paths = facts_.module_paths;
    for (size_t i = 0; i < paths.op.size(); ++i) {
      const HostId call = paths.op[i];
      const auto at =
          eager_.find(OpKey{trace_.tables.host.name[Index(call)], paths.path[i]});
      if (at == eager_.end()) continue;
      const OpCost cost = cost_of_(call);
      if (!cost.known()) continue;
      Eager& eager = at->second;
      if (!IsSet(eager.call)) {
        eager.call = call;
        eager.cost = cost;
      } else {
        eager.differs |= cost.flops != eager.cost.flops || cost.bytes != eager.cost.bytes;
      }
    }
  }

  uint8_t RankOf(GpuId gpu, const Eager& eager) const {
    if (!eager.cost.matrix()) return 0;
    return ranks_[facts_.KernelRow(trace_.tables.gpu.name[Index(gpu)])];
  }

  // How many kernels of one call do its work, to tell calls of one replay apart.
  void CountMainKernels() {
    HashMap<HostId, Eager*> calls;
    for (auto& [op, eager] : eager_) {
      if (IsSet(eager.call)) calls.try_emplace(eager.call, &eager);
    }
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      const HostId inner = facts_.gpu.op[g];
      if (gpu.kind[g] != GpuKind::kKernel || !IsSet(inner)) continue;
      const HostId outer = facts_.host.op[Index(inner)];
      const auto at = calls.find(IsSet(outer) ? outer : inner);
      if (at == calls.end()) continue;
      Eager& eager = *at->second;
      const uint8_t rank = RankOf(MakeId<GpuId>(g), eager);
      if (rank > eager.rank) eager.main_kernels = 0;
      eager.rank = std::max(eager.rank, rank);
      eager.main_kernels += rank == eager.rank ? 1 : 0;
    }
  }

  // One replay's kernels of an op: as many calls as there are times its main kernels.
  void Share(const OpKey& op, const std::vector<GpuId>& kernels) {
    const Eager& eager = eager_.find(op)->second;
    if (!IsSet(eager.call) || eager.differs || eager.main_kernels == 0) return;
    std::vector<GpuId> main;
    for (const GpuId gpu : kernels) {
      if (RankOf(gpu, eager) == eager.rank) {
        main.push_back(gpu);
      } else {
        found_.push_back({gpu, eager.call, 0});
      }
    }
    const auto each = static_cast<size_t>(eager.main_kernels);
    if (main.size() % each != 0) return;
    for (size_t first = 0; first < main.size(); first += each) {
      DurationNs time = 0;
      for (size_t i = 0; i < each; ++i) time += DurationOf(main[first + i]);
      for (size_t i = 0; i < each && time > 0; ++i) {
        const auto share =
            static_cast<double>(DurationOf(main[first + i])) / static_cast<double>(time);
        found_.push_back({main[first + i], eager.call, static_cast<float>(share)});
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
  HashMap<OpKey, Eager> eager_;
  std::vector<CapturedCost> found_;
};

}  // namespace

std::vector<CapturedCost> FindCapturedCosts(ProfileView profile,
                                            const std::function<OpCost(HostId)>& cost_of) {
  return Finder(profile, cost_of).Run();
}

}  // namespace warpsight
