#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "model/ids.h"

// The columns of a trace. A table is a struct of vectors of equal length; row i of a table is
// element i of each. Every table lists its columns once, in Columns(), with their stored name and
// documentation; merging, sorting, saving, loading and comparing are written once over that list.
//
// Missing values are kMissing and kMissingReal in numbers, kNone<Id> in ids and "" in texts. Times
// are nanoseconds: as in the file while a trace is built, from the trace's start once it is sealed.
namespace warpsight {

template <typename T>
using Column = std::vector<T>;

struct ColumnInfo {
  std::string_view name;
  std::string_view doc;
  bool optional = false;  // may be missing, although ids of its type usually may not
};

// The kind of a slice on a CPU thread.
enum class HostKind : uint8_t {
  kOp,              // framework operator
  kAnnotation,      // user range: record_function, NVTX, ProfilerStep
  kPythonFunction,  // interpreter frame; nn.Module frames are kModule
  kModule,
  kOverhead,  // the profiler's own work
  kSpan,      // the profiler's recording window
  kOther,
  kSystemCall,  // call of the operating system's library: read, poll, pthread_cond_wait
};

enum class ApiKind : uint8_t { kRuntime, kDriver };

enum class GpuKind : uint8_t { kKernel, kCopy, kMemset };

enum class CopyDirection : uint8_t {
  kNotACopy,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kPeerToPeer,
  kHostToHost,
  kUnknown,
};

// The kind of host memory of a copy; pageable memory makes a copy synchronous.
enum class HostMemory : uint8_t { kNone, kPageable, kPinned, kUnknown };

enum class FlowPhase : uint8_t { kStart, kStep, kEnd };

// How an NVTX range was marked: pushed and popped on one thread, or started and ended anywhere.
enum class NvtxStyle : uint8_t { kPushPop, kStartEnd };

// How much of a step was recorded.
enum class StepState : uint8_t {
  kClean,     // nothing: it ran in a clean stretch
  kRecorded,  // all of it
  kNeither,   // recording began or ended in it, or directly before it
};

// One input file, or one process of a file that holds several (split_processes.h): a rank. It is a
// separate profiling session: correlation ids are unique only within it, or within a process if
// streams have a process.
struct SourcesTable {
  Column<StringId> path, format;
  Column<int64_t> bytes, events, rank, world_size;
  Column<StringId> backend;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"path", "file the rows were read from"}, &SourcesTable::path);
    visit(ColumnInfo{"format", "importer that read it"}, &SourcesTable::format);
    visit(ColumnInfo{"bytes", "size of the file; 0 for further processes of it"},
          &SourcesTable::bytes);
    visit(ColumnInfo{"events", "records in the file, kept or not; 0 for further processes of it"},
          &SourcesTable::events);
    visit(ColumnInfo{"rank", "distributed rank"}, &SourcesTable::rank);
    visit(ColumnInfo{"world_size", "number of ranks of the job"}, &SourcesTable::world_size);
    visit(ColumnInfo{"backend", "collective library of the job"}, &SourcesTable::backend);
  }
};

struct ProcessesTable {
  Column<SourceId> source;
  Column<StringId> pid, name, labels;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"source_id", "row in sources"}, &ProcessesTable::source);
    visit(ColumnInfo{"pid", "process id as in the file (a number, or a lane's name)"},
          &ProcessesTable::pid);
    visit(ColumnInfo{"name", "process name"}, &ProcessesTable::name);
    visit(ColumnInfo{"labels", "labels of the process"}, &ProcessesTable::labels);
  }
};

// A lane of the file: a CPU thread, or a lane that represents a GPU stream.
struct ThreadsTable {
  Column<ProcessId> process;
  Column<StringId> tid, name;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"process_id", "row in processes"}, &ThreadsTable::process);
    visit(ColumnInfo{"tid", "thread id as in the file"}, &ThreadsTable::tid);
    visit(ColumnInfo{"name", "thread name"}, &ThreadsTable::name);
  }
};

struct DevicesTable {
  Column<SourceId> source;
  Column<int64_t> ordinal;
  Column<StringId> name;
  Column<int64_t> compute_major, compute_minor, sms, memory_bytes, threads_per_sm, regs_per_sm,
      shared_per_sm, warp_size;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"source_id", "row in sources"}, &DevicesTable::source);
    visit(ColumnInfo{"ordinal", "number of the GPU in its process"}, &DevicesTable::ordinal);
    visit(ColumnInfo{"name", "GPU name"}, &DevicesTable::name);
    visit(ColumnInfo{"compute_major", "compute capability, major"}, &DevicesTable::compute_major);
    visit(ColumnInfo{"compute_minor", "compute capability, minor"}, &DevicesTable::compute_minor);
    visit(ColumnInfo{"sms", "streaming multiprocessors"}, &DevicesTable::sms);
    visit(ColumnInfo{"memory_bytes", "global memory"}, &DevicesTable::memory_bytes);
    visit(ColumnInfo{"threads_per_sm", "resident threads per multiprocessor"},
          &DevicesTable::threads_per_sm);
    visit(ColumnInfo{"regs_per_sm", "registers per multiprocessor"}, &DevicesTable::regs_per_sm);
    visit(ColumnInfo{"shared_per_sm", "shared memory per multiprocessor, bytes"},
          &DevicesTable::shared_per_sm);
    visit(ColumnInfo{"warp_size", "threads per warp"}, &DevicesTable::warp_size);
  }
};

// If one file contains several processes, each has its own streams, and correlation ids are unique
// only within a process.
struct StreamsTable {
  Column<DeviceId> device;
  Column<int64_t> context, stream;
  Column<ProcessId> process;
  Column<int64_t> recorded_device;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"device_id", "row in devices"}, &StreamsTable::device);
    visit(ColumnInfo{"context", "CUDA context"}, &StreamsTable::context);
    visit(ColumnInfo{"stream", "stream number"}, &StreamsTable::stream);
    visit(ColumnInfo{"process_id", "process that owns it, if recorded (row in processes)", true},
          &StreamsTable::process);
    visit(ColumnInfo{"recorded_device",
                     "number of the GPU in its process, if it differs from the machine's"},
          &StreamsTable::recorded_device);
  }
};

// The inputs of an op call; calls with equal inputs share a row. The texts are JSON as in the file.
struct SignaturesTable {
  Column<StringId> dims, types, strides, values;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"input_dims", "shape of each input, JSON"}, &SignaturesTable::dims);
    visit(ColumnInfo{"input_types", "type of each input, JSON"}, &SignaturesTable::types);
    visit(ColumnInfo{"input_strides", "strides of each input, JSON"}, &SignaturesTable::strides);
    visit(ColumnInfo{"concrete_inputs", "scalar inputs, JSON"}, &SignaturesTable::values);
  }
};

// How a kernel was launched; equal launches share a row.
struct LaunchConfigsTable {
  Column<int64_t> grid_x, grid_y, grid_z, block_x, block_y, block_z;
  Column<int64_t> registers, shared_bytes;
  Column<double> blocks_per_sm, warps_per_sm, occupancy_percent;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"grid_x", "blocks in x"}, &LaunchConfigsTable::grid_x);
    visit(ColumnInfo{"grid_y", "blocks in y"}, &LaunchConfigsTable::grid_y);
    visit(ColumnInfo{"grid_z", "blocks in z"}, &LaunchConfigsTable::grid_z);
    visit(ColumnInfo{"block_x", "threads per block in x"}, &LaunchConfigsTable::block_x);
    visit(ColumnInfo{"block_y", "threads per block in y"}, &LaunchConfigsTable::block_y);
    visit(ColumnInfo{"block_z", "threads per block in z"}, &LaunchConfigsTable::block_z);
    visit(ColumnInfo{"registers", "registers per thread"}, &LaunchConfigsTable::registers);
    visit(ColumnInfo{"shared_bytes", "shared memory per block"}, &LaunchConfigsTable::shared_bytes);
    visit(ColumnInfo{"blocks_per_sm", "blocks / multiprocessors, as recorded"},
          &LaunchConfigsTable::blocks_per_sm);
    visit(ColumnInfo{"warps_per_sm", "warps / multiprocessors, as recorded"},
          &LaunchConfigsTable::warps_per_sm);
    visit(ColumnInfo{"occupancy_percent", "estimated achieved occupancy, as recorded"},
          &LaunchConfigsTable::occupancy_percent);
  }
};

struct CollectivesTable {
  Column<StringId> name, dtype, group_name, group_description, group_ranks;
  Column<int64_t> elements_in, elements_out, group_size;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"name", "collective operation"}, &CollectivesTable::name);
    visit(ColumnInfo{"dtype", "element type"}, &CollectivesTable::dtype);
    visit(ColumnInfo{"group_name", "process group"}, &CollectivesTable::group_name);
    visit(ColumnInfo{"group_description", "process group description"},
          &CollectivesTable::group_description);
    visit(ColumnInfo{"group_ranks", "ranks of the group, JSON"}, &CollectivesTable::group_ranks);
    visit(ColumnInfo{"elements_in", "elements sent"}, &CollectivesTable::elements_in);
    visit(ColumnInfo{"elements_out", "elements received"}, &CollectivesTable::elements_out);
    visit(ColumnInfo{"group_size", "ranks in the group"}, &CollectivesTable::group_size);
  }
};

// Optional details of host ranges.
struct HostExtrasTable {
  Column<StringId> call_stack, module_hierarchy, args, op_type;
  Column<int64_t> python_id, python_parent, python_module;
  Column<CollectiveId> collective;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"call_stack", "Python or C++ frames, innermost first"},
          &HostExtrasTable::call_stack);
    visit(ColumnInfo{"module_hierarchy",
                     "module path recorded with the op; for a function marked by PyProf, its place "
                     "in the program, which begins with '/' and may end in the function itself"},
          &HostExtrasTable::module_hierarchy);
    visit(ColumnInfo{"args", "arguments without a column, JSON"}, &HostExtrasTable::args);
    visit(ColumnInfo{"python_id", "number of the Python call"}, &HostExtrasTable::python_id);
    visit(ColumnInfo{"python_parent", "number of the calling Python call"},
          &HostExtrasTable::python_parent);
    visit(ColumnInfo{"python_module", "number of the module instance"},
          &HostExtrasTable::python_module);
    visit(ColumnInfo{"collective_id", "row in collectives"}, &HostExtrasTable::collective);
    visit(ColumnInfo{"op_type", "kind of op, if the name does not determine it"},
          &HostExtrasTable::op_type);
  }
};

// Whether a recorded module path is the place of a function that PyProf marked. Kineto's module
// paths do not begin so.
inline bool IsFunctionPlace(std::string_view module_hierarchy) {
  return module_hierarchy.starts_with('/');
}

// Optional details of GPU activities.
struct GpuExtrasTable {
  Column<int64_t> graph, graph_node;
  Column<StringId> args, op_name, op_type, op_path;
  Column<CollectiveId> collective;
  Column<double> bandwidth;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"graph", "CUDA graph id"}, &GpuExtrasTable::graph);
    visit(ColumnInfo{"graph_node", "CUDA graph node id"}, &GpuExtrasTable::graph_node);
    visit(ColumnInfo{"args", "arguments without a column, JSON"}, &GpuExtrasTable::args);
    visit(ColumnInfo{"collective_id", "row in collectives"}, &GpuExtrasTable::collective);
    visit(ColumnInfo{"op_name", "op that the work itself names: an HLO or TensorFlow op"},
          &GpuExtrasTable::op_name);
    visit(ColumnInfo{"op_type", "kind of that op"}, &GpuExtrasTable::op_type);
    visit(ColumnInfo{"op_path", "its module or name scope, parts separated by '/'"},
          &GpuExtrasTable::op_path);
    visit(ColumnInfo{"bandwidth",
                     "GB/s of a copy or memset as computed by the profiler, if the recorded "
                     "duration is truncated to microseconds"},
          &GpuExtrasTable::bandwidth);
  }
};

// Slices on CPU threads other than CUDA API calls, in timeline order.
struct HostRangesTable {
  Column<TimeNs> start;
  Column<DurationNs> duration;
  Column<StringId> name;
  Column<ThreadId> thread;
  Column<HostKind> kind;
  Column<int64_t> external_id, sequence, forward_thread;
  Column<SignatureId> signature;
  Column<HostExtraId> extra;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"start_ns", "start"}, &HostRangesTable::start);
    visit(ColumnInfo{"duration_ns", "duration"}, &HostRangesTable::duration);
    visit(ColumnInfo{"name", "op or range name"}, &HostRangesTable::name);
    visit(ColumnInfo{"thread_id", "row in threads"}, &HostRangesTable::thread);
    visit(ColumnInfo{"kind",
                     "0 op, 1 annotation, 2 Python function, 3 module, 4 profiler overhead, 5 "
                     "span, 6 other, 7 system call"},
          &HostRangesTable::kind);
    visit(ColumnInfo{"external_id", "id that links launches to this op"},
          &HostRangesTable::external_id);
    visit(ColumnInfo{"sequence", "autograd sequence number"}, &HostRangesTable::sequence);
    visit(ColumnInfo{"forward_thread", "profiler's number of the forward op's thread"},
          &HostRangesTable::forward_thread);
    visit(ColumnInfo{"signature_id", "row in signatures"}, &HostRangesTable::signature);
    visit(ColumnInfo{"extra_id", "row in host_extras"}, &HostRangesTable::extra);
  }
};

// NVTX ranges with their texts as recorded, in timeline order, as Nsight Systems counts them. In
// host_ranges the same ranges are converted to what their texts mean: an op of PyTorch, a module of
// XLA, an annotation. A source has either all of its ranges here or none (only annotations and
// modules).
struct NvtxRangesTable {
  Column<TimeNs> start;
  Column<DurationNs> duration;
  Column<StringId> text, domain;
  Column<ThreadId> thread;
  Column<NvtxStyle> style;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"start_ns", "start"}, &NvtxRangesTable::start);
    visit(ColumnInfo{"duration_ns", "duration; until the last NVTX event if it has no end"},
          &NvtxRangesTable::duration);
    visit(ColumnInfo{"text", "text of the range, as recorded"}, &NvtxRangesTable::text);
    visit(ColumnInfo{"domain", "name of its domain; empty for the default one"},
          &NvtxRangesTable::domain);
    visit(
        ColumnInfo{
            "thread_id",
            "row in threads; the process's lane of start/end ranges if it ended on another thread"},
        &NvtxRangesTable::thread);
    visit(ColumnInfo{"style", "0 push/pop, 1 start/end"}, &NvtxRangesTable::style);
  }
};

// CUDA, HIP runtime and driver calls, in timeline order.
struct ApiCallsTable {
  Column<TimeNs> start;
  Column<DurationNs> duration;
  Column<StringId> name;
  Column<ThreadId> thread;
  Column<ApiKind> kind;
  Column<int64_t> correlation, external_id;
  Column<StringId> args;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"start_ns", "start"}, &ApiCallsTable::start);
    visit(ColumnInfo{"duration_ns", "duration"}, &ApiCallsTable::duration);
    visit(ColumnInfo{"name", "function"}, &ApiCallsTable::name);
    visit(ColumnInfo{"thread_id", "row in threads"}, &ApiCallsTable::thread);
    visit(ColumnInfo{"kind", "0 runtime, 1 driver"}, &ApiCallsTable::kind);
    visit(ColumnInfo{"correlation", "id shared with the GPU work it launched"},
          &ApiCallsTable::correlation);
    visit(ColumnInfo{"external_id", "external id of the op that called it, as recorded"},
          &ApiCallsTable::external_id);
    visit(ColumnInfo{"args", "arguments without a column, JSON"}, &ApiCallsTable::args);
  }
};

// Kernels, copies and memsets, in timeline order.
struct GpuActivitiesTable {
  Column<TimeNs> start;
  Column<DurationNs> duration;
  Column<StringId> name;
  Column<StreamId> stream;
  Column<GpuKind> kind;
  Column<CopyDirection> copy_direction;
  Column<HostMemory> host_memory;
  Column<int64_t> correlation, external_id, bytes;
  Column<LaunchConfigId> launch_config;
  Column<GpuExtraId> extra;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"start_ns", "start"}, &GpuActivitiesTable::start);
    visit(ColumnInfo{"duration_ns", "duration"}, &GpuActivitiesTable::duration);
    visit(ColumnInfo{"name", "kernel name, or the profiler's name of the copy"},
          &GpuActivitiesTable::name);
    visit(ColumnInfo{"stream_id", "row in streams"}, &GpuActivitiesTable::stream);
    visit(ColumnInfo{"kind", "0 kernel, 1 copy, 2 memset"}, &GpuActivitiesTable::kind);
    visit(ColumnInfo{"copy_direction",
                     "0 not a copy, 1 HtoD, 2 DtoH, 3 DtoD, 4 PtoP, 5 HtoH, 6 unknown"},
          &GpuActivitiesTable::copy_direction);
    visit(ColumnInfo{"host_memory", "0 none, 1 pageable, 2 pinned, 3 unknown"},
          &GpuActivitiesTable::host_memory);
    visit(ColumnInfo{"correlation", "id shared with the API call that launched it"},
          &GpuActivitiesTable::correlation);
    visit(ColumnInfo{"external_id", "external id of the op behind it, as recorded"},
          &GpuActivitiesTable::external_id);
    visit(ColumnInfo{"bytes", "bytes copied or set"}, &GpuActivitiesTable::bytes);
    visit(ColumnInfo{"launch_config_id", "row in launch_configs"},
          &GpuActivitiesTable::launch_config);
    visit(ColumnInfo{"extra_id", "row in gpu_extras"}, &GpuActivitiesTable::extra);
  }
};

// User ranges projected on a GPU stream by the profiler.
struct GpuAnnotationsTable {
  Column<TimeNs> start;
  Column<DurationNs> duration;
  Column<StringId> name;
  Column<StreamId> stream;
  Column<int64_t> external_id;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"start_ns", "start"}, &GpuAnnotationsTable::start);
    visit(ColumnInfo{"duration_ns", "duration"}, &GpuAnnotationsTable::duration);
    visit(ColumnInfo{"name", "range name"}, &GpuAnnotationsTable::name);
    visit(ColumnInfo{"stream_id", "row in streams"}, &GpuAnnotationsTable::stream);
    visit(ColumnInfo{"external_id", "external id, as recorded"}, &GpuAnnotationsTable::external_id);
  }
};

// Synchronization records of the GPU side (stream waits, event and context synchronization).
struct SyncsTable {
  Column<TimeNs> start;
  Column<DurationNs> duration;
  Column<StringId> name;
  Column<StreamId> stream;
  Column<int64_t> correlation, wait_stream, wait_event, wait_record_correlation;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"start_ns", "start"}, &SyncsTable::start);
    visit(ColumnInfo{"duration_ns", "duration"}, &SyncsTable::duration);
    visit(ColumnInfo{"name", "kind of synchronization"}, &SyncsTable::name);
    visit(ColumnInfo{"stream_id", "row in streams"}, &SyncsTable::stream);
    visit(ColumnInfo{"correlation", "id shared with the API call"}, &SyncsTable::correlation);
    visit(ColumnInfo{"wait_stream", "stream waited for"}, &SyncsTable::wait_stream);
    visit(ColumnInfo{"wait_event", "event waited for"}, &SyncsTable::wait_event);
    visit(ColumnInfo{"wait_record_correlation", "correlation id of the event's record call"},
          &SyncsTable::wait_record_correlation);
  }
};

// Allocations and frees reported by the framework.
struct MemoryEventsTable {
  Column<TimeNs> time;
  Column<ThreadId> thread;
  Column<int64_t> device_type, device, address, bytes, total_allocated, total_reserved;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"time_ns", "time"}, &MemoryEventsTable::time);
    visit(ColumnInfo{"thread_id", "row in threads"}, &MemoryEventsTable::thread);
    visit(ColumnInfo{"device_type", "0 CPU, 1 CUDA (numbers as in PyTorch)"},
          &MemoryEventsTable::device_type);
    visit(ColumnInfo{"device", "device number"}, &MemoryEventsTable::device);
    visit(ColumnInfo{"address", "address"}, &MemoryEventsTable::address);
    visit(ColumnInfo{"bytes", "bytes allocated, negative for a free"}, &MemoryEventsTable::bytes);
    visit(ColumnInfo{"total_allocated", "bytes in use afterwards"},
          &MemoryEventsTable::total_allocated);
    visit(ColumnInfo{"total_reserved", "bytes reserved afterwards"},
          &MemoryEventsTable::total_reserved);
  }
};

// Ends of arrows between slices.
struct FlowsTable {
  Column<TimeNs> time;
  Column<int64_t> flow;
  Column<StringId> category;
  Column<FlowPhase> phase;
  Column<ThreadId> thread;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"time_ns", "time"}, &FlowsTable::time);
    visit(ColumnInfo{"flow", "id shared by the ends of one arrow"}, &FlowsTable::flow);
    visit(ColumnInfo{"category", "kind of arrow: ac2g, fwdbwd, ..."}, &FlowsTable::category);
    visit(ColumnInfo{"phase", "0 start, 1 step, 2 end"}, &FlowsTable::phase);
    visit(ColumnInfo{"thread_id", "row in threads (lane of the end)"}, &FlowsTable::thread);
  }
};

// Points in time, and values of counters.
struct InstantsTable {
  Column<TimeNs> time;
  Column<StringId> name, category;
  Column<ThreadId> thread;
  Column<StringId> args;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"time_ns", "time"}, &InstantsTable::time);
    visit(ColumnInfo{"name", "name"}, &InstantsTable::name);
    visit(ColumnInfo{"category", "category; 'counter' for counter samples"},
          &InstantsTable::category);
    visit(ColumnInfo{"thread_id", "row in threads"}, &InstantsTable::thread);
    visit(ColumnInfo{"args", "arguments, JSON"}, &InstantsTable::args);
  }
};

// The times of steps on the CPU, from one boundary to the next, in timeline order. Clean and
// recorded steps have the same boundaries, which are found without anything else being recorded.
struct StepTimesTable {
  Column<TimeNs> start;
  Column<DurationNs> duration;
  Column<ThreadId> thread;
  Column<StringId> boundary;
  Column<StepState> state;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"start_ns", "start"}, &StepTimesTable::start);
    visit(ColumnInfo{"duration_ns", "duration"}, &StepTimesTable::duration);
    visit(ColumnInfo{"thread_id", "row in threads"}, &StepTimesTable::thread);
    visit(ColumnInfo{"boundary", "what separates the steps: Optimizer.step, ..."},
          &StepTimesTable::boundary);
    visit(ColumnInfo{"state",
                     "0 clean, 1 recorded, 2 neither: recording began or ended in it, or directly "
                     "before it"},
          &StepTimesTable::state);
  }
};

// The intervals in which nothing was recorded of a process, so that it ran as without Warpsight, in
// timeline order. GPU work that was launched before may run in them; work that is launched in them
// is not recorded, even if it runs later. See clean_stretches.h.
struct CleanStretchesTable {
  Column<TimeNs> start;
  Column<DurationNs> duration;
  Column<SourceId> source;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"start_ns", "start"}, &CleanStretchesTable::start);
    visit(ColumnInfo{"duration_ns", "duration"}, &CleanStretchesTable::duration);
    visit(ColumnInfo{"source_id", "row in sources"}, &CleanStretchesTable::source);
  }
};

// Hardware counters of kernels: a row for each measured launch. They come from a separate run and
// have no position on the timeline: they are matched to kernels by name, grid and block.
struct KernelCountersTable {
  Column<SourceId> source;
  Column<StringId> name;
  Column<LaunchConfigId> launch_config;
  Column<int64_t> instance, passes, tensor_instructions, dram_read_bytes, dram_write_bytes;
  Column<double> duration, tensor_active_percent, sm_active_percent;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"source_id", "row in sources"}, &KernelCountersTable::source);
    visit(ColumnInfo{"name", "kernel name, as in gpu_activities"}, &KernelCountersTable::name);
    visit(ColumnInfo{"launch_config_id", "grid and block; nothing else (row in launch_configs)"},
          &KernelCountersTable::launch_config);
    visit(ColumnInfo{"instance",
                     "number of the launch among those of its name, grid and block, from 0"},
          &KernelCountersTable::instance);
    visit(ColumnInfo{"passes",
                     "how often it ran for this; if more than once, memory was restored in "
                     "between, which affects dram_write_bytes"},
          &KernelCountersTable::passes);
    visit(ColumnInfo{"duration_ns", "time on the GPU while it was measured"},
          &KernelCountersTable::duration);
    visit(ColumnInfo{"tensor_instructions", "matrix instructions of the Tensor Cores"},
          &KernelCountersTable::tensor_instructions);
    visit(ColumnInfo{"tensor_active_percent", "cycles in which the Tensor Cores worked, of all"},
          &KernelCountersTable::tensor_active_percent);
    visit(ColumnInfo{"sm_active_percent",
                     "cycles in which a multiprocessor had work, of all, averaged over them"},
          &KernelCountersTable::sm_active_percent);
    visit(ColumnInfo{"dram_read_bytes", "bytes read from the GPU's memory"},
          &KernelCountersTable::dram_read_bytes);
    visit(ColumnInfo{"dram_write_bytes", "bytes written to the GPU's memory"},
          &KernelCountersTable::dram_write_bytes);
  }
};

// Everything else the file says about itself and the machine.
struct MetadataTable {
  Column<SourceId> source;
  Column<StringId> key, value;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"source_id", "row in sources"}, &MetadataTable::source);
    visit(ColumnInfo{"key", "key"}, &MetadataTable::key);
    visit(ColumnInfo{"value", "value, JSON as in the file"}, &MetadataTable::value);
  }
};

// The problems of the import. Records with the same code are counted together.
struct ImportLogTable {
  Column<SourceId> source;
  Column<StringId> code, message;
  Column<int64_t> offset, count;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"source_id", "row in sources"}, &ImportLogTable::source);
    visit(ColumnInfo{"code", "kind of problem"}, &ImportLogTable::code);
    visit(ColumnInfo{"message", "what was wrong with the first such record"},
          &ImportLogTable::message);
    visit(ColumnInfo{"first_offset",
                     "offset of the first such record, in bytes of the uncompressed file"},
          &ImportLogTable::offset);
    visit(ColumnInfo{"count", "how many such records"}, &ImportLogTable::count);
  }
};

template <typename Table>
size_t RowCount(const Table& table) {
  size_t rows = 0;
  bool first = true;
  Table::Columns([&](ColumnInfo, auto member) {
    if (first) rows = (table.*member).size();
    first = false;
  });
  return rows;
}

}  // namespace warpsight
