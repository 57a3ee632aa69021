#include "analysis/aggregation/stored_costs.h"

#include <utility>

#include "analysis/aggregation/kernel_table.h"
#include "analysis/aggregation/op_kinds.h"
#include "analysis/aggregation/op_table.h"

namespace warpsight {

void StoreCosts(const ReportInput& input, StringPool& strings, FactTables& facts) {
  const OpTable ops(input);
  OpKindsTable kinds;
  for (const OpKind& kind : KindsOfOps(ops)) {
    kinds.type.push_back(strings.Intern(kind.type));
    kinds.direction.push_back(kind.direction);
    kinds.associated.push_back(kind.associated ? 1 : 0);
    kinds.ops.push_back(kind.ops);
    kinds.eligible_ops.push_back(kind.eligible_ops);
    kinds.calls.push_back(kind.calls);
    kinds.gpu.push_back(kind.gpu);
    kinds.cpu.push_back(kind.cpu);
    kinds.tensor_cores.push_back(kind.uses_tensor_cores      ? TensorCores::kYes
                                 : kind.may_use_tensor_cores ? TensorCores::kUnknown
                                                             : TensorCores::kNo);
  }

  KernelUsesTable uses;
  for (const KernelUse& use : KernelUses(input, ops)) {
    uses.name.push_back(use.name);
    uses.kind.push_back(use.kind);
    uses.op_type.push_back(strings.Intern(ops.ops()[use.op].type));
    uses.in_eligible_op.push_back(use.in_eligible_op ? 1 : 0);
    uses.count.push_back(use.gpu.count);
    uses.gpu.push_back(use.gpu.total);
    uses.api.push_back(use.api.total);
  }
  facts.op_kinds = std::move(kinds);
  facts.kernel_uses = std::move(uses);
}

}  // namespace warpsight
