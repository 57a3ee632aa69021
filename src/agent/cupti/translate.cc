#include "agent/cupti/translate.h"

#include <string_view>

namespace warpsight::agent {
namespace {

// As the record is declared, which is how the record of every supported version of CUPTI begins
// (agent/cuda_abi).
template <typename Record>
const Record& As(const CUpti_Activity& record) {
  return reinterpret_cast<const Record&>(record);
}

int64_t Signed(uint64_t value) { return static_cast<int64_t>(value); }

std::string_view Text(const char* text) { return text == nullptr ? "" : text; }

void AddKernel(const CUpti_ActivityKernel7& k, const Windows& windows, Writer& writer,
               TranslateCounts& counts) {
  ++counts.kernels;
  if (k.graphId != 0) ++counts.graph_kernels;
  if (k.start == 0 || k.end == 0) {
    ++counts.untimed;
    return;
  }
  if (!windows.Wanted(Signed(k.start))) return;
  writer.Add(wire::KernelRecord{Signed(k.start), Signed(k.end), writer.Text(Text(k.name)),
                                k.deviceId, k.contextId, k.streamId, k.correlationId, k.gridX,
                                k.gridY, k.gridZ, k.blockX, k.blockY, k.blockZ,
                                k.registersPerThread, k.staticSharedMemory, k.dynamicSharedMemory,
                                k.graphId, Signed(k.graphNodeId)});
}

void AddCopy(const CUpti_ActivityMemcpy5& c, const Windows& windows, Writer& writer) {
  if (!windows.Wanted(Signed(c.start))) return;
  writer.Add(wire::CopyRecord{Signed(c.start), Signed(c.end), Signed(c.bytes), c.copyKind,
                              c.srcKind, c.dstKind, c.deviceId, c.contextId, c.streamId,
                              c.correlationId, c.graphId, Signed(c.graphNodeId)});
}

void AddPeerCopy(const CUpti_ActivityMemcpyPtoP4& c, const Windows& windows, Writer& writer) {
  if (!windows.Wanted(Signed(c.start))) return;
  writer.Add(wire::CopyRecord{Signed(c.start), Signed(c.end), Signed(c.bytes), c.copyKind,
                              c.srcKind, c.dstKind, c.deviceId, c.contextId, c.streamId,
                              c.correlationId, c.graphId, Signed(c.graphNodeId)});
}

void AddMemset(const CUpti_ActivityMemset4& m, const Windows& windows, Writer& writer) {
  if (!windows.Wanted(Signed(m.start))) return;
  writer.Add(wire::MemsetRecord{Signed(m.start), Signed(m.end), Signed(m.bytes), m.memoryKind,
                                m.deviceId, m.contextId, m.streamId, m.correlationId, m.graphId,
                                Signed(m.graphNodeId)});
}

void AddSync(const CUpti_ActivitySynchronization& s, const Windows& windows, Writer& writer) {
  if (!windows.Wanted(Signed(s.start))) return;
  writer.Add(wire::SyncRecord{Signed(s.start), Signed(s.end), static_cast<int64_t>(s.type),
                              s.contextId, s.streamId, s.correlationId, s.cudaEventId});
}

void AddOverhead(const CUpti_ActivityOverhead& o, const Windows& windows, Writer& writer) {
  if (!windows.Wanted(Signed(o.start))) return;
  const int64_t thread = o.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD ? int64_t{o.objectId[1]} : 0;
  writer.Add(wire::OverheadRecord{Signed(o.start), Signed(o.end), thread,
                                  static_cast<int64_t>(o.overheadKind)});
}

void AddDevice(const CUpti_ActivityDevice4& d, Writer& writer) {
  writer.Add(wire::DeviceRecord{
      d.id, writer.Text(Text(d.name)), d.computeCapabilityMajor, d.computeCapabilityMinor,
      d.numMultiprocessors, Signed(d.globalMemorySize),
      int64_t{d.maxWarpsPerMultiprocessor} * d.numThreadsPerWarp, d.maxRegistersPerMultiprocessor,
      d.maxSharedMemoryPerMultiprocessor, d.numThreadsPerWarp});
}

void AddMemory(const CUpti_ActivityMemory3& m, const Windows& windows, Writer& writer) {
  if (!windows.Wanted(Signed(m.timestamp))) return;
  const bool freed = m.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  const bool on_device = m.memoryKind == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE ||
                         m.memoryKind == CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
  if (!on_device) return;
  writer.Add(wire::MemoryRecord{Signed(m.timestamp), 0, m.deviceId, Signed(m.address),
                                freed ? -Signed(m.bytes) : Signed(m.bytes), -1, -1, 1});
}

}  // namespace

void Translate(const CUpti_Activity& record, const Windows& windows, Writer& writer,
               TranslateCounts& counts) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return AddKernel(As<CUpti_ActivityKernel7>(record), windows, writer, counts);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return AddCopy(As<CUpti_ActivityMemcpy5>(record), windows, writer);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return AddPeerCopy(As<CUpti_ActivityMemcpyPtoP4>(record), windows, writer);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return AddMemset(As<CUpti_ActivityMemset4>(record), windows, writer);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return AddSync(As<CUpti_ActivitySynchronization>(record), windows, writer);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return AddOverhead(As<CUpti_ActivityOverhead>(record), windows, writer);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return AddDevice(As<CUpti_ActivityDevice4>(record), writer);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return AddMemory(As<CUpti_ActivityMemory3>(record), windows, writer);
    default:
      return;
  }
}

}  // namespace warpsight::agent
