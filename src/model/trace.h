#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_pool.h"
#include "model/op_inputs.h"
#include "model/tables.h"

namespace warpsight {

// Every table of a trace with the name under which it is stored. A TraceBuilder fills one per block
// of input and merges them; a sealed Trace holds the result.
struct TraceTables {
  SourcesTable sources;
  ProcessesTable processes;
  ThreadsTable threads;
  DevicesTable devices;
  StreamsTable streams;
  SignaturesTable signatures;
  LaunchConfigsTable launch_configs;
  CollectivesTable collectives;
  HostExtrasTable host_extras;
  GpuExtrasTable gpu_extras;
  HostRangesTable host;
  NvtxRangesTable nvtx;
  ApiCallsTable api;
  GpuActivitiesTable gpu;
  GpuAnnotationsTable gpu_annotations;
  SyncsTable syncs;
  MemoryEventsTable memory;
  FlowsTable flows;
  InstantsTable instants;
  StepTimesTable step_times;
  CleanStretchesTable clean_stretches;
  KernelCountersTable kernel_counters;
  MetadataTable metadata;
  ImportLogTable import_log;

  // visit(name, doc, member) for each table.
  template <typename Visit>
  static void Tables(Visit&& visit) {
    visit("sources", "Input files.", &TraceTables::sources);
    visit("processes", "Processes, and lanes that the file represents as processes.",
          &TraceTables::processes);
    visit("threads", "Threads and other lanes of a process.", &TraceTables::threads);
    visit("devices", "GPUs.", &TraceTables::devices);
    visit("streams", "Streams of the GPUs.", &TraceTables::streams);
    visit("signatures", "Distinct inputs of op calls.", &TraceTables::signatures);
    visit("launch_configs", "Distinct kernel launch parameters.", &TraceTables::launch_configs);
    visit("collectives", "Collective operations of ops and kernels.", &TraceTables::collectives);
    visit("host_extras", "Optional details of host ranges.", &TraceTables::host_extras);
    visit("gpu_extras", "Optional details of GPU activities.", &TraceTables::gpu_extras);
    visit("host_ranges", "Ops, annotations, Python frames and other slices on CPU threads.",
          &TraceTables::host);
    visit("nvtx_ranges", "NVTX ranges with their texts as recorded.", &TraceTables::nvtx);
    visit("api_calls", "CUDA / HIP runtime and driver calls.", &TraceTables::api);
    visit("gpu_activities", "Kernels, copies and memsets.", &TraceTables::gpu);
    visit("gpu_annotations", "User ranges projected on GPU streams by the profiler.",
          &TraceTables::gpu_annotations);
    visit("syncs", "Synchronization records.", &TraceTables::syncs);
    visit("memory_events", "Allocations and frees reported by the framework.",
          &TraceTables::memory);
    visit("flows", "Ends of arrows between slices.", &TraceTables::flows);
    visit("instants", "Points in time and counter samples.", &TraceTables::instants);
    visit("step_times", "Times of steps, recorded or not.", &TraceTables::step_times);
    visit("clean_stretches", "Intervals in which a process was not recorded.",
          &TraceTables::clean_stretches);
    visit("kernel_counters", "Hardware counters of kernels.", &TraceTables::kernel_counters);
    visit("metadata", "Metadata of the files and the machine.", &TraceTables::metadata);
    visit("import_log", "Problems of the import.", &TraceTables::import_log);
  }
};

// A trace, read-only once sealed. Times count from its earliest event.
struct Trace {
  TraceTables tables;
  StringPool strings;
  // The rows of tables.signatures as numbers; not stored.
  OpInputs inputs;
  // Time 0 of the trace on the file's own clock, and in Unix time where the file says (or
  // kMissing).
  int64_t origin_ns = 0;
  int64_t origin_unix_ns = kMissing;
  // The latest end of any slice.
  TimeNs end = 0;
  std::string profile_name;

  // After tables.signatures was filled. Its ids must be sound.
  void ReadInputs() { inputs = OpInputs(tables.signatures, strings); }

  std::string_view Text(StringId id) const { return strings.View(id); }
  // The inputs of a row of host_ranges as numbers; null where they are not known.
  const Signature* InputsOf(HostId op) const { return inputs.Of(tables.host.signature[Index(op)]); }
  SourceId SourceOf(ThreadId thread) const {
    return tables.processes.source[Index(tables.threads.process[Index(thread)])];
  }
  SourceId SourceOf(StreamId stream) const {
    return tables.devices.source[Index(DeviceOf(stream))];
  }
  // The module path recorded with a row of host_ranges, or "".
  std::string_view RecordedPath(size_t host) const {
    const HostExtraId extra = tables.host.extra[host];
    return IsSet(extra) ? Text(tables.host_extras.module_hierarchy[Index(extra)]) : "";
  }
  DeviceId DeviceOf(StreamId stream) const { return tables.streams.device[Index(stream)]; }
};

// By source: whether it has a timeline, that is, a process or a GPU. Files of hardware counters
// have none.
std::vector<bool> SourcesWithTimeline(const Trace& trace);
size_t CountSourcesWithTimeline(const Trace& trace);

// Maps sources to files. Processes of one file are separate sources; the first of them represents
// the file.
class SourceFiles {
 public:
  explicit SourceFiles(const Trace& trace);

  SourceId FileOf(SourceId source) const { return first_[Index(source)]; }
  bool IsFile(SourceId source) const { return FileOf(source) == source; }
  size_t count() const { return count_; }

 private:
  std::vector<SourceId> first_;  // by source
  size_t count_ = 0;
};

// The first violated invariant of sealed traces (equal column lengths, ids in range, timeline
// order, times within [0, end]), or an empty string.
std::string CheckIntegrity(const Trace& trace);

}  // namespace warpsight
