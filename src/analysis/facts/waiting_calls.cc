#include "analysis/facts/waiting_calls.h"

#include <string_view>

#include "analysis/facts/range_names.h"
#include "base/text.h"

namespace warpsight {
namespace {

// Whether a copy blocks its caller: host memory that is not pinned, or a call without "Async".
bool IsBlockingCopy(const Trace& trace, const FactTables& facts, size_t g) {
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  if (gpu.kind[g] != GpuKind::kCopy || !IsSet(facts.gpu.api[g])) return false;
  const bool to_host = gpu.copy_direction[g] == CopyDirection::kDeviceToHost;
  if (to_host && gpu.host_memory[g] == HostMemory::kPageable) return true;
  const std::string_view call = trace.Text(trace.tables.api.name[Index(facts.gpu.api[g])]);
  return !Contains(call, "Async") && Contains(call, "Memcpy");
}

}  // namespace

std::vector<bool> WaitingCalls(const Trace& trace, const FactTables& facts) {
  const ApiCallsTable& api = trace.tables.api;
  std::vector<bool> waiting(api.start.size());
  ByName<bool> is_sync(trace, IsSynchronisation);
  for (size_t a = 0; a < waiting.size(); ++a) waiting[a] = is_sync[api.name[a]];
  for (size_t g = 0; g < trace.tables.gpu.start.size(); ++g) {
    if (IsBlockingCopy(trace, facts, g)) waiting[Index(facts.gpu.api[g])] = true;
  }
  return waiting;
}

}  // namespace warpsight
