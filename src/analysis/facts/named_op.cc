#include "analysis/facts/named_op.h"

#include "base/text.h"

namespace warpsight {

GpuExtraId NamingExtra(const Trace& trace, size_t gpu) {
  const GpuExtraId extra = trace.tables.gpu.extra[gpu];
  const bool names =
      IsSet(extra) && trace.tables.gpu_extras.op_name[Index(extra)] != StringId::kEmpty;
  return names ? extra : kNone<GpuExtraId>;
}

bool CountsUnderNamedOp(const Trace& trace, const FactTables& facts, size_t gpu) {
  const GpuExtraId extra = NamingExtra(trace, gpu);
  if (!IsSet(extra)) return false;
  const HostId launcher = facts.gpu.op[gpu];
  return !IsSet(launcher) ||
         trace.tables.host.name[Index(launcher)] != trace.tables.gpu_extras.op_name[Index(extra)];
}

bool HasOp(const Trace& trace, const FactTables& facts, size_t gpu) {
  return IsSet(facts.gpu.op[gpu]) || IsSet(NamingExtra(trace, gpu));
}

bool IsBackwardScope(std::string_view path) {
  return Contains(path, "transpose(") || Contains(path, "gradient_tape/") ||
         path.starts_with("gradients/") || Contains(path, "/gradients/");
}

}  // namespace warpsight
