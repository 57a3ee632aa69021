#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/string_pool.h"
#include "model/kernel_kind.h"
#include "model/shared_column.h"
#include "model/tables.h"

// Facts derived from a trace. They are stored with it, so that opening a profile does not derive
// them again. The tables that end in FactsTable have one row for each row of the table they belong
// to.
namespace warpsight {

enum class Direction : uint8_t { kForward, kBackward, kOptimizer, kDataLoading };

// How the iterations were found.
enum class IterationSource : uint8_t {
  kMarkers,        // ProfilerStep#N, StepTraceAnnotation, numbered ranges
  kKeyOp,          // ends of the op that the user named
  kOptimizer,      // ends of Optimizer.step
  kDataLoader,     // starts of the loader's next
  kKernelPeriod,   // period of the sequence of kernels
  kNone,           // one iteration over the whole trace
  kRepeatedCalls,  // calls of an outermost range that do the same
};

// Why a GPU was idle: the first cause for which the trace has evidence (metrics.md, "Where the time
// goes").
enum class IdleCause : uint8_t {
  kData,           // a data loader's range covers it
  kSync,           // the host had waited for the GPU, and the queue was empty
  kAllocation,     // cudaMalloc, cudaFree and the like, on a launching thread
  kHostWork,       // the launch of the next work had not returned
  kLaunchLatency,  // the launch had returned, a few tens of microseconds ago at most
  kDependency,     // launched; its stream waits for an event, a value or a host function
  kOtherRank,      // launched; it is a collective that has not started
  kUnknown,
};
inline constexpr size_t kIdleCauseCount = 8;

// What the time of a window was spent on. The GPU's entries, up to kIdleUnknown, sum to the window
// of an iteration on one GPU; the host's entries, to that of an iteration in one process. The two
// hidden entries are additional.
enum class LedgerEntry : uint8_t {
  kTensorCores,    // kernels using Tensor Cores
  kOtherKernels,   // other compute kernels
  kCommunication,  // collectives, where no compute kernel runs
  kCopies,         // copies and memsets, where nothing above runs
  kIdleData,       // from here to kIdleUnknown as in IdleCause
  kIdleSync,
  kIdleAllocation,
  kIdleHostWork,
  kIdleLaunchLatency,
  kIdleDependency,
  kIdleOtherRank,
  kIdleUnknown,
  kHiddenCommunication,  // collectives that overlap compute kernels
  kHiddenCopies,         // copies and memsets that overlap kernels
  kHostDataLoading,      // the host's entries: on launching threads, the first that applies
  kHostRecording,        // the profiler's own work
  kHostIo,               // file access
  kHostLaunches,         // CUDA calls that start kernels and graphs
  kHostCopies,           // CUDA calls that start copies and memsets
  kHostAllocation,       // CUDA calls that allocate and free
  kHostOtherCalls,       // other CUDA calls that do not wait
  kHostOps,              // framework ops and Python
  kHostWaiting,          // CUDA calls in which the host waits for the GPU
  kHostOther,
};
inline constexpr size_t kLedgerEntryCount = 24;

constexpr LedgerEntry EntryOf(IdleCause cause) {
  return static_cast<LedgerEntry>(static_cast<uint8_t>(LedgerEntry::kIdleData) +
                                  static_cast<uint8_t>(cause));
}

// The parts of the critical path of a step (whatif.md).
enum class PathPart : uint8_t { kKernels, kCopies, kCpu, kCalls, kLaunchDelay, kWaiting };
inline constexpr size_t kPathPartCount = 6;

// The confidence in the prediction of a finding.
enum class Confidence : uint8_t {
  kLow,     // the trace suggests it; the gain depends on assumptions that the trace cannot confirm
  kMedium,  // the gain depends on typical efficiencies
  kHigh,    // the gain follows from measured times
};

struct HostFactsTable {
  SharedColumn<HostId> parent;
  SharedColumn<HostId> op;
  SharedColumn<HostId> forward;
  SharedColumn<Direction> direction;
  SharedColumn<IterationId> iteration;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"parent_id", "innermost range around it on its thread (row in host_ranges)"},
          &HostFactsTable::parent);
    visit(ColumnInfo{"op_id", "op to which reports attribute it (row in host_ranges)"},
          &HostFactsTable::op);
    visit(ColumnInfo{"forward_id", "forward op of a backward op (row in host_ranges)"},
          &HostFactsTable::forward);
    visit(ColumnInfo{"direction", "0 forward, 1 backward, 2 optimizer, 3 data loading"},
          &HostFactsTable::direction);
    visit(ColumnInfo{"iteration_id", "row in iterations"}, &HostFactsTable::iteration);
  }
};

struct ApiFactsTable {
  SharedColumn<HostId> op;
  SharedColumn<IterationId> iteration;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"op_id", "innermost op that made the call (row in host_ranges)"},
          &ApiFactsTable::op);
    visit(ColumnInfo{"iteration_id", "row in iterations"}, &ApiFactsTable::iteration);
  }
};

struct GpuFactsTable {
  SharedColumn<ApiId> api;
  SharedColumn<HostId> op;
  SharedColumn<IterationId> iteration;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"api_id", "call that launched it (row in api_calls)"}, &GpuFactsTable::api);
    visit(ColumnInfo{"op_id", "innermost op that launched it (row in host_ranges)"},
          &GpuFactsTable::op);
    visit(ColumnInfo{"iteration_id", "iteration that launched it (row in iterations)"},
          &GpuFactsTable::iteration);
  }
};

// Counts of the contents of a file.
struct SourceFactsTable {
  Column<int64_t> host_ranges, ops, api_calls;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"host_ranges", "rows of host_ranges"}, &SourceFactsTable::host_ranges);
    visit(ColumnInfo{"ops", "those of them that are ops"}, &SourceFactsTable::ops);
    visit(ColumnInfo{"api_calls", "rows of api_calls"}, &SourceFactsTable::api_calls);
  }
};

// The work of a GPU in the whole recording.
struct DeviceFactsTable {
  Column<int64_t> kernels, copies, memsets;
  Column<DurationNs> kernel_time, busy, without_op;
  Column<TimeNs> first, last;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"kernels", "kernels that it ran"}, &DeviceFactsTable::kernels);
    visit(ColumnInfo{"copies", "copies"}, &DeviceFactsTable::copies);
    visit(ColumnInfo{"memsets", "memsets"}, &DeviceFactsTable::memsets);
    visit(ColumnInfo{"kernel_ns", "sum of kernel durations"}, &DeviceFactsTable::kernel_time);
    visit(ColumnInfo{"busy_ns", "time in which it was busy"}, &DeviceFactsTable::busy);
    visit(ColumnInfo{"without_op_ns", "sum of durations of work without an op"},
          &DeviceFactsTable::without_op);
    visit(ColumnInfo{"first_ns", "start of its first work; NULL if it did nothing"},
          &DeviceFactsTable::first);
    visit(ColumnInfo{"last_ns", "end of its last work"}, &DeviceFactsTable::last);
  }

  bool Worked(size_t row) const { return first[row] != kMissing; }
};

// Module path of the ops under which reports count; only rows that have one.
struct ModulePathsTable {
  SharedColumn<HostId> op;
  SharedColumn<StringId> path;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"op_id", "row in host_ranges; ascending"}, &ModulePathsTable::op);
    visit(ColumnInfo{"path", "module or annotation path, parts separated by '/'"},
          &ModulePathsTable::path);
  }
};

struct IterationsTable {
  Column<SourceId> source;
  Column<int64_t> number;
  Column<TimeNs> start, end, gpu_end, window_start, window_end;
  Column<DurationNs> reader;
  Column<int64_t> launches, synchronizations, copied_bytes;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"source_id", "row in sources"}, &IterationsTable::source);
    visit(ColumnInfo{"number", "number of the iteration in its file, from 0"},
          &IterationsTable::number);
    visit(ColumnInfo{"start_ns", "start on the CPU"}, &IterationsTable::start);
    visit(ColumnInfo{"end_ns", "end on the CPU"}, &IterationsTable::end);
    visit(ColumnInfo{"gpu_end_ns", "end of the last GPU work that it launched"},
          &IterationsTable::gpu_end);
    visit(ColumnInfo{"window_start_ns",
                     "start of its window: its start, or the end of the GPU work of earlier "
                     "iterations if that is later"},
          &IterationsTable::window_start);
    visit(ColumnInfo{"window_end_ns", "end of its window, where the next iteration's begins"},
          &IterationsTable::window_end);
    visit(ColumnInfo{"reader_ns", "time in the data loader's next"}, &IterationsTable::reader);
    visit(ColumnInfo{"launches", "API calls in it that launched GPU work"},
          &IterationsTable::launches);
    visit(ColumnInfo{"synchronizations", "host synchronizations in it (docs/metrics.md)"},
          &IterationsTable::synchronizations);
    visit(ColumnInfo{"copied_bytes", "bytes of the copies that it launched, if recorded"},
          &IterationsTable::copied_bytes);
  }
};

// Every interval of the trace in which a GPU was idle.
struct GapsTable {
  SharedColumn<DeviceId> device;
  SharedColumn<TimeNs> start, end;
  SharedColumn<IdleCause> cause;
  SharedColumn<GpuId> next;
  SharedColumn<HostId> op;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"device_id", "row in devices"}, &GapsTable::device);
    visit(ColumnInfo{"start_ns", "start"}, &GapsTable::start);
    visit(ColumnInfo{"end_ns", "end"}, &GapsTable::end);
    visit(ColumnInfo{"cause",
                     "0 waiting for data, 1 host synchronization, 2 allocation, 3 host work before "
                     "the launch, 4 launch latency, 5 dependency, 6 waiting for another rank, "
                     "7 unknown"},
          &GapsTable::cause);
    visit(ColumnInfo{"next_id", "GPU work that ended it (row in gpu_activities)"},
          &GapsTable::next);
    visit(ColumnInfo{"op_id", "op or range on the CPU that the cause names (row in host_ranges)"},
          &GapsTable::op);
  }
};

// When every iteration was worked on by every GPU of its process that did any work.
struct GpuWindowsTable {
  Column<IterationId> iteration;
  Column<DeviceId> device;
  Column<TimeNs> start, end;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"iteration_id", "row in iterations"}, &GpuWindowsTable::iteration);
    visit(ColumnInfo{"device_id", "row in devices"}, &GpuWindowsTable::device);
    visit(ColumnInfo{"start_ns",
                     "end of the previous iteration on this GPU; for the first, its start"},
          &GpuWindowsTable::start);
    visit(
        ColumnInfo{"end_ns",
                   "end of its work on this GPU, or of the iteration on the CPU if that is later"},
        &GpuWindowsTable::end);
  }
};

// Where the time of every iteration went, on every GPU that did any work, and in its process.
struct LedgerTable {
  Column<IterationId> iteration;
  Column<DeviceId> device;
  Column<LedgerEntry> entry;
  Column<DurationNs> time;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"iteration_id", "row in iterations"}, &LedgerTable::iteration);
    visit(ColumnInfo{"device_id", "row in devices; NULL for the time of the process", true},
          &LedgerTable::device);
    visit(ColumnInfo{"entry", kEntries}, &LedgerTable::entry);
    visit(ColumnInfo{"ns", "time; entries without any have no row"}, &LedgerTable::time);
  }

  static constexpr std::string_view kEntries =
      "on a GPU, summing to the window: 0 Tensor Core kernels, 1 other kernels, 2 exposed "
      "communication, 3 exposed copies, idle: 4 waiting for data, 5 host synchronization, "
      "6 allocation, 7 host work before the launch, 8 launch latency, 9 dependency, 10 waiting for "
      "another rank, 11 unknown; beside it: 12 hidden communication, 13 hidden copies; in the "
      "process, summing to the window: 14 data loading, 15 recording cost, 16 I/O, 17 launches, "
      "18 copy calls, 19 allocation calls, 20 other CUDA calls, 21 ops and Python, 22 waiting for "
      "the GPU, 23 nothing recorded";
};

// The same over the analyzed iterations.
struct LedgerTotalsTable {
  Column<SourceId> source;
  Column<DeviceId> device;
  Column<LedgerEntry> entry;
  Column<DurationNs> time;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"source_id", "row in sources"}, &LedgerTotalsTable::source);
    visit(ColumnInfo{"device_id", "row in devices; NULL for the time of the process", true},
          &LedgerTotalsTable::device);
    visit(ColumnInfo{"entry", "as in ledger"}, &LedgerTotalsTable::entry);
    visit(ColumnInfo{"ns", "time; entries without any have no row"}, &LedgerTotalsTable::time);
  }
};

// The ops of the aggregated iterations by type and direction, by falling GPU time, then CPU time.
struct OpKindsTable {
  Column<StringId> type;
  Column<Direction> direction;
  Column<int64_t> associated, ops, eligible_ops, calls;
  Column<DurationNs> gpu, cpu;
  Column<TensorCores> tensor_cores;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"type", "type of op; for work without an op, what launched it"},
          &OpKindsTable::type);
    visit(ColumnInfo{"direction", "as in host_ranges"}, &OpKindsTable::direction);
    visit(ColumnInfo{"associated", "1 for ops, 0 for GPU work without an op"},
          &OpKindsTable::associated);
    visit(ColumnInfo{"ops", "number of ops, counted by their place in the program"},
          &OpKindsTable::ops);
    visit(ColumnInfo{"eligible_ops", "those that can use Tensor Cores"},
          &OpKindsTable::eligible_ops);
    visit(ColumnInfo{"calls", "calls of them"}, &OpKindsTable::calls);
    visit(ColumnInfo{"gpu_ns", "GPU time of the calls"}, &OpKindsTable::gpu);
    visit(ColumnInfo{"cpu_ns", "CPU time of the calls"}, &OpKindsTable::cpu);
    visit(ColumnInfo{"tensor_cores",
                     "2 some of their kernels use Tensor Cores, 0 some may, 1 none does"},
          &OpKindsTable::tensor_cores);
  }
};

// The GPU work of the aggregated iterations by name and op, by falling time.
struct KernelUsesTable {
  Column<StringId> name;
  Column<GpuKind> kind;
  Column<StringId> op_type;
  Column<int64_t> in_eligible_op, count;
  Column<DurationNs> gpu, api;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"name", "name, as in gpu_activities"}, &KernelUsesTable::name);
    visit(ColumnInfo{"kind", "as in gpu_activities"}, &KernelUsesTable::kind);
    visit(ColumnInfo{"op_type",
                     "type of the op; ops in several places of the program have a row for each"},
          &KernelUsesTable::op_type);
    visit(ColumnInfo{"in_eligible_op", "1 if the op can use Tensor Cores"},
          &KernelUsesTable::in_eligible_op);
    visit(ColumnInfo{"count", "how often it ran"}, &KernelUsesTable::count);
    visit(ColumnInfo{"gpu_ns", "sum of durations"}, &KernelUsesTable::gpu);
    visit(ColumnInfo{"api_ns",
                     "sum of durations of the calls that launched it; each call counts once"},
          &KernelUsesTable::api);
  }
};

// One row per distinct kernel name.
struct KernelNamesTable {
  Column<StringId> name, short_name, library, family, precision;
  Column<TensorCores> tensor_cores, tensor_cores_by_name;
  Column<int64_t> measured_launches;
  Column<StringId> reason, collective, generator, layout;
  Column<int64_t> element_bytes;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"name", "kernel name"}, &KernelNamesTable::name);
    visit(ColumnInfo{"short_name", "without arguments and namespaces"},
          &KernelNamesTable::short_name);
    visit(ColumnInfo{"library", "library it comes from"}, &KernelNamesTable::library);
    visit(ColumnInfo{"family", "what it computes"}, &KernelNamesTable::family);
    visit(ColumnInfo{"precision", "number format"}, &KernelNamesTable::precision);
    visit(
        ColumnInfo{
            "tensor_cores",
            "0 unknown, 1 no, 2 yes; measured by hardware counters if measured_launches is not 0, "
            "otherwise from the name, otherwise from the operands' formats and the GPU"},
        &KernelNamesTable::tensor_cores);
    visit(ColumnInfo{"reason", "why it is classified so"}, &KernelNamesTable::reason);
    visit(ColumnInfo{"tensor_cores_by_name", "according to the name: 0 unknown, 1 no, 2 yes"},
          &KernelNamesTable::tensor_cores_by_name);
    visit(ColumnInfo{"measured_launches", "launches whose matrix instructions were counted"},
          &KernelNamesTable::measured_launches);
    visit(ColumnInfo{"collective",
                     "which collective it runs: all_reduce, …; other if the name does not show it "
                     "or it runs none"},
          &KernelNamesTable::collective);
    visit(ColumnInfo{"generator",
                     "program that generated it and chose its launch: TorchInductor, XLA, "
                     "CUTLASS's generator, or unknown"},
          &KernelNamesTable::generator);
    visit(ColumnInfo{"layout",
                     "layout of images it is written for: channels first, channels last "
                     "or unknown"},
          &KernelNamesTable::layout);
    visit(ColumnInfo{"element_bytes", "bytes of an element that it works on, as its name shows",
                     true},
          &KernelNamesTable::element_bytes);
  }
};

// The analyzed iterations. Iterations are inclusive row numbers within each source.
struct AggregationsTable {
  Column<int64_t> first, last;
  Column<IterationSource> source;
  Column<StringId> key_op, explanation;
  Column<int64_t> batch_size;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"first", "number of the first aggregated iteration"},
          &AggregationsTable::first);
    visit(ColumnInfo{"last", "number of the last aggregated iteration"}, &AggregationsTable::last);
    visit(ColumnInfo{"source",
                     "how iterations were found: 0 markers, 1 key op, 2 optimizer, "
                     "3 data loader, 4 kernel period, 5 none, 6 repeated calls"},
          &AggregationsTable::source);
    visit(ColumnInfo{"key_op", "op whose ends are the boundaries"}, &AggregationsTable::key_op);
    visit(ColumnInfo{"explanation", "in words: how found, and what was left out"},
          &AggregationsTable::explanation);
    visit(ColumnInfo{"batch_size", "samples per iteration, if known"},
          &AggregationsTable::batch_size);
  }
};

// Counts that the trust report rests on.
struct TrustTable {
  Column<StringId> code;
  Column<int64_t> count, of;
  Column<StringId> meaning;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"code", "what was counted"}, &TrustTable::code);
    visit(ColumnInfo{"count", "how many, or how many nanoseconds"}, &TrustTable::count);
    visit(ColumnInfo{"of", "out of how many"}, &TrustTable::of);
    visit(ColumnInfo{"meaning", "how it affects the numbers"}, &TrustTable::meaning);
  }
};

// The step that advice refers to; one row. Lengths are of one iteration.
struct AdviceTable {
  Column<DurationNs> measured_step, replayed_step, unprofiled_step, combined_step;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"measured_step_ns", "as it was recorded"}, &AdviceTable::measured_step);
    visit(ColumnInfo{"replayed_step_ns", "as replayed by the unedited graph"},
          &AdviceTable::replayed_step);
    visit(ColumnInfo{"unprofiled_step_ns", "without the profiler: the baseline of predictions"},
          &AdviceTable::unprofiled_step);
    visit(ColumnInfo{"combined_step_ns", "predicted with all findings that are marked combined"},
          &AdviceTable::combined_step);
  }
};

// The critical path of the step without the profiler; empty if there was nothing to replay.
struct CriticalPathTable {
  Column<PathPart> part;
  Column<DurationNs> time;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"part",
                     "0 kernels, 1 copies, 2 CPU work, 3 CUDA calls, 4 launch delays, "
                     "5 synchronization"},
          &CriticalPathTable::part);
    visit(ColumnInfo{"ns", "time of one step"}, &CriticalPathTable::time);
  }
};

// What to change, best first.
struct FindingsTable {
  Column<StringId> rule, problem, recommendation, assumes;
  Column<Confidence> confidence;
  Column<DurationNs> predicted_step, saving;
  Column<double> speedup;
  Column<int64_t> combined;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"rule", "rule that found it"}, &FindingsTable::rule);
    visit(ColumnInfo{"problem", "what is wrong"}, &FindingsTable::problem);
    visit(ColumnInfo{"recommendation", "what to change"}, &FindingsTable::recommendation);
    visit(ColumnInfo{"assumes", "assumptions of the prediction"}, &FindingsTable::assumes);
    visit(ColumnInfo{"confidence", "0 low, 1 medium, 2 high"}, &FindingsTable::confidence);
    visit(ColumnInfo{"predicted_step_ns",
                     "step after the change; NULL if the finding has no prediction"},
          &FindingsTable::predicted_step);
    visit(ColumnInfo{"saving_ns", "unprofiled step - predicted step"}, &FindingsTable::saving);
    visit(ColumnInfo{"speedup", "unprofiled step / predicted step"}, &FindingsTable::speedup);
    visit(ColumnInfo{"combined", "1 if it is part of the combined step, otherwise 0"},
          &FindingsTable::combined);
  }
};

struct FindingEvidenceTable {
  Column<FindingId> finding;
  Column<StringId> text;
  Column<DurationNs> time_per_step;
  Column<int64_t> count_per_step;
  Column<HostId> host;
  Column<GpuId> gpu;
  Column<StringId> instance;
  Column<TimeNs> start;
  Column<DurationNs> duration;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"finding_id", "row in findings"}, &FindingEvidenceTable::finding);
    visit(ColumnInfo{"text", "what to look at"}, &FindingEvidenceTable::text);
    visit(ColumnInfo{"time_ns_per_step", "how long it takes in a step"},
          &FindingEvidenceTable::time_per_step);
    visit(ColumnInfo{"count_per_step", "how often it happens in a step"},
          &FindingEvidenceTable::count_per_step);
    visit(ColumnInfo{"host_id", "an instance on the CPU (row in host_ranges)"},
          &FindingEvidenceTable::host);
    visit(ColumnInfo{"gpu_id", "an instance on the GPU (row in gpu_activities)"},
          &FindingEvidenceTable::gpu);
    visit(ColumnInfo{"instance", "name of that instance"}, &FindingEvidenceTable::instance);
    visit(ColumnInfo{"start_ns", "its start; NULL if there is no instance"},
          &FindingEvidenceTable::start);
    visit(ColumnInfo{"duration_ns", "its duration"}, &FindingEvidenceTable::duration);
  }
};

// Rules that could not run.
struct SkippedRulesTable {
  Column<StringId> rule, because;

  template <typename Visit>
  static void Columns(Visit&& visit) {
    visit(ColumnInfo{"rule", "rule that could not run"}, &SkippedRulesTable::rule);
    visit(ColumnInfo{"because", "what is missing"}, &SkippedRulesTable::because);
  }
};

// Copies share the columns with a row for every event until one of them changes such a column.
struct FactTables {
  HostFactsTable host;
  ApiFactsTable api;
  GpuFactsTable gpu;
  SourceFactsTable sources;
  DeviceFactsTable devices;
  ModulePathsTable module_paths;
  IterationsTable iterations;
  GapsTable gaps;
  GpuWindowsTable gpu_windows;
  LedgerTable ledger;
  LedgerTotalsTable ledger_totals;
  OpKindsTable op_kinds;
  KernelUsesTable kernel_uses;
  KernelNamesTable kernel_names;
  AggregationsTable aggregations;
  TrustTable trust;
  AdviceTable advice;
  CriticalPathTable critical_path;
  FindingsTable findings;
  FindingEvidenceTable finding_evidence;
  SkippedRulesTable skipped_rules;
  // Row of kernel_names by StringId of a kernel's name; not stored.
  SharedColumn<uint32_t> kernel_row;
  // By row of kernel_names: what it says, as values; not stored.
  SharedColumn<KernelKind> kernel_kinds;

  // visit(name, doc, member) for each table. The first five are stored as further columns of tables
  // of the trace.
  template <typename Visit>
  static void Tables(Visit&& visit) {
    visit("host_ranges", "", &FactTables::host);
    visit("api_calls", "", &FactTables::api);
    visit("gpu_activities", "", &FactTables::gpu);
    visit("sources", "", &FactTables::sources);
    visit("devices", "", &FactTables::devices);
    visit("module_paths", "Module paths of ops.", &FactTables::module_paths);
    visit("iterations", "Iterations.", &FactTables::iterations);
    visit("gaps", "Intervals in which a GPU was idle, with their cause.", &FactTables::gaps);
    visit("gpu_windows", "When every GPU worked on every iteration.", &FactTables::gpu_windows);
    visit("ledger", "Where the time of every iteration went, on every GPU.", &FactTables::ledger);
    visit("ledger_totals", "The ledger over the analyzed iterations.", &FactTables::ledger_totals);
    visit("op_kinds", "Ops of the analyzed iterations, by type and direction.",
          &FactTables::op_kinds);
    visit("kernel_uses", "GPU work of the analyzed iterations, by name and op.",
          &FactTables::kernel_uses);
    visit("kernel_names", "Distinct kernel names and their class.", &FactTables::kernel_names);
    visit("aggregations", "Ranges of analyzed iterations.", &FactTables::aggregations);
    visit("trust", "Counts that show how far the numbers can be trusted.", &FactTables::trust);
    visit("advice", "The step that advice refers to; one row.", &FactTables::advice);
    visit("critical_path", "The critical path of a step, as replayed without the profiler.",
          &FactTables::critical_path);
    visit("findings", "What to change, and the predicted effect; best first.",
          &FactTables::findings);
    visit("finding_evidence", "The evidence of findings.", &FactTables::finding_evidence);
    visit("skipped_rules", "Rules that could not run, and why.", &FactTables::skipped_rules);
  }

  // The class of a kernel by its name's id; `name` must be the name of a kernel of the trace.
  size_t KernelRow(StringId name) const { return kernel_row[Index(name)]; }
  const KernelKind& KindOf(StringId name) const { return kernel_kinds[KernelRow(name)]; }
  TensorCores TensorCoresOf(StringId name) const {
    return kernel_names.tensor_cores[KernelRow(name)];
  }
  // Whether hardware counters say so, and not the name.
  bool TensorCoresMeasured(StringId name) const {
    return kernel_names.measured_launches[KernelRow(name)] > 0;
  }
};

// Fills kernel_row and kernel_kinds from kernel_names.
void IndexKernelNames(FactTables& facts, const StringPool& strings);

}  // namespace warpsight
