#include "analysis/aggregation/op_kinds.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace warpsight {

std::vector<OpKind> KindsOfOps(const OpTable& table) {
  std::vector<OpKind> kinds;
  std::map<std::pair<std::string_view, Direction>, size_t> places;
  for (const uint32_t row : table.RowsByTime()) {
    const Op& op = table.ops()[row];
    const auto [at, is_new] = places.try_emplace({op.kind(), op.direction}, kinds.size());
    if (is_new) {
      OpKind kind;
      kind.type = op.kind();
      kind.direction = op.direction;
      kind.largest = row;
      kinds.push_back(kind);
    }
    OpKind& kind = kinds[at->second];
    kind.associated |= op.associated();
    ++kind.ops;
    kind.eligible_ops += op.tensor_core_eligible ? 1 : 0;
    kind.calls += op.calls();
    kind.gpu += op.times.gpu.total;
    kind.cpu += op.times.cpu.total;
    kind.uses_tensor_cores |= op.uses_tensor_cores;
    kind.may_use_tensor_cores |= op.may_use_tensor_cores;
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const OpKind& a, const OpKind& b) {
    return std::tie(a.gpu, a.cpu) > std::tie(b.gpu, b.cpu);
  });
  return kinds;
}

}  // namespace warpsight
