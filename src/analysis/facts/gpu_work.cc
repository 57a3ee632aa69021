#include "analysis/facts/gpu_work.h"

#include "analysis/facts/range_names.h"

namespace warpsight {
namespace {

Interval TimesOf(const auto& table, size_t row) {
  return {table.start[row], table.start[row] + table.duration[row]};
}

IntervalSet& SetOf(Resource resource, GpuWork& work) {
  switch (resource) {
    case Resource::kTensorCores:
      return work.tensor_cores;
    case Resource::kOtherKernels:
      return work.other_kernels;
    case Resource::kCommunication:
      return work.communication;
    case Resource::kMemory:
      break;
  }
  return work.memory;
}

}  // namespace

GpuClasses::GpuClasses(const Trace& trace, const FactTables& facts)
    : trace_(trace), facts_(facts), by_kernel_(facts.kernel_names.name.size()) {
  for (size_t k = 0; k < by_kernel_.size(); ++k) {
    const KernelKind& kind = facts.kernel_kinds[k];
    if (kind.family == KernelFamily::kCollective) {
      by_kernel_[k] = Resource::kCommunication;
    } else if (kind.tensor_cores == TensorCores::kYes) {
      by_kernel_[k] = Resource::kTensorCores;
    } else {
      by_kernel_[k] = Resource::kOtherKernels;
    }
  }
}

std::vector<GpuWork> CollectGpuWork(const Trace& trace, const FactTables& facts) {
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  const GpuClasses classes(trace, facts);
  std::vector<GpuWork> work(RowCount(trace.tables.devices));
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    GpuWork& device = work[Index(trace.DeviceOf(gpu.stream[g]))];
    SetOf(classes.Of(g), device).Append(TimesOf(gpu, g));
  }
  return work;
}

std::vector<bool> LaunchingThreads(const Trace& trace, const FactTables& facts) {
  std::vector<bool> launching(RowCount(trace.tables.threads));
  std::vector<bool> source_launches(RowCount(trace.tables.sources));
  for (const ApiId call : facts.gpu.api) {
    if (!IsSet(call)) continue;
    const ThreadId thread = trace.tables.api.thread[Index(call)];
    launching[Index(thread)] = true;
    source_launches[Index(trace.SourceOf(thread))] = true;
  }
  for (size_t t = 0; t < launching.size(); ++t) {
    if (!source_launches[Index(trace.SourceOf(MakeId<ThreadId>(t)))]) launching[t] = true;
  }
  return launching;
}

std::vector<HostWork> CollectHostWork(const Trace& trace, const FactTables& facts) {
  const HostRangesTable& host = trace.tables.host;
  const ApiCallsTable& api = trace.tables.api;
  const std::vector<bool> launching = LaunchingThreads(trace, facts);
  RangeNames names(trace);
  ByName<bool> file_access(trace, IsFileAccess);
  std::vector<HostWork> work(RowCount(trace.tables.sources));
  // Both tables are in order of their starts, but not together.
  std::vector<IntervalSet> ops(work.size());
  std::vector<IntervalSet> calls(work.size());
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (!launching[Index(host.thread[h])]) continue;
    const size_t source = Index(trace.SourceOf(host.thread[h]));
    const bool op = host.kind[h] == HostKind::kOp;
    if (op || host.kind[h] == HostKind::kAnnotation) {
      if (names[host.name[h]].data_loading) {
        work[source].data_loading.Append(TimesOf(host, h));
      } else if (op) {
        ops[source].Append(TimesOf(host, h));
      }
    } else if (host.kind[h] == HostKind::kSystemCall && file_access[host.name[h]]) {
      work[source].io.Append(TimesOf(host, h));
    }
  }
  for (size_t a = 0; a < api.start.size(); ++a) {
    if (!launching[Index(api.thread[a])]) continue;
    calls[Index(trace.SourceOf(api.thread[a]))].Append(TimesOf(api, a));
  }
  for (size_t s = 0; s < work.size(); ++s) work[s].cpu = ops[s].Union(calls[s]);
  return work;
}

}  // namespace warpsight
