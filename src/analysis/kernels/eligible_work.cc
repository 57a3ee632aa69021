#include "analysis/kernels/eligible_work.h"

#include "analysis/facts/named_op.h"
#include "analysis/kernels/tensor_core_eligible.h"

namespace warpsight {
namespace {

constexpr uint8_t kUnclassified = 2;

// Whether it is a kernel of a matrix family, or one that uses Tensor Cores.
bool IsMatrixWork(ProfileView profile, GpuId work) {
  const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
  if (gpu.kind[Index(work)] != GpuKind::kKernel) return false;
  const StringId name = gpu.name[Index(work)];
  return profile.facts.TensorCoresOf(name) == TensorCores::kYes ||
         IsMatrixFamily(profile.facts.KindOf(name).family);
}

}  // namespace

StringId OpTypeOf(const Trace& trace, HostId op) {
  const HostExtraId extra = trace.tables.host.extra[Index(op)];
  const StringId type =
      IsSet(extra) ? trace.tables.host_extras.op_type[Index(extra)] : StringId::kEmpty;
  return type != StringId::kEmpty ? type : trace.tables.host.name[Index(op)];
}

StringId NamedOpType(const Trace& trace, size_t gpu) {
  const GpuExtrasTable& extras = trace.tables.gpu_extras;
  const size_t extra = Index(trace.tables.gpu.extra[gpu]);
  return extras.op_type[extra] != StringId::kEmpty ? extras.op_type[extra] : extras.op_name[extra];
}

EligibleWork::EligibleWork(ProfileView profile)
    : profile_(profile), known_(profile.trace.strings.size(), kUnclassified) {}

bool EligibleWork::IsEligible(StringId type) {
  uint8_t& answer = known_[Index(type)];
  if (answer == kUnclassified) answer = IsTensorCoreEligible(profile_.trace.Text(type)) ? 1 : 0;
  return answer == 1;
}

bool EligibleWork::operator()(GpuId work) {
  const Trace& trace = profile_.trace;
  const FactTables& facts = profile_.facts;
  if (CountsUnderNamedOp(trace, facts, Index(work))) {
    return IsEligible(NamedOpType(trace, Index(work))) || IsMatrixWork(profile_, work);
  }
  const HostId inner = facts.gpu.op[Index(work)];
  if (!IsSet(inner)) return false;
  const HostId counted = facts.host.op[Index(inner)];
  if (!IsSet(counted)) return false;
  return IsEligible(OpTypeOf(trace, counted)) || IsEligible(OpTypeOf(trace, inner));
}

}  // namespace warpsight
