#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/units.h"

// The agent's records: one struct per kind. All fields are 64-bit numbers, so that the layout is
// the same everywhere. Texts are numbers of the file's strings (0: none). Times are on the clock of
// the recording. Each struct lists its fields once, in the order in which they are written; new
// fields are added at the end.
namespace warpsight::wire {

enum class RecordType : uint16_t {
  kKernel = 1,
  kCopy = 2,
  kMemset = 3,
  kSync = 4,
  kCall = 5,
  kRange = 6,
  kOp = 7,
  kGraphNode = 8,
  kMemory = 9,
  kOverhead = 10,
  kThread = 11,
  kDevice = 12,
  kGap = 13,
  kMark = 14,
  kFact = 15,
  kCounter = 16,
  kAnchor = 17,
  kStepTime = 18,
  kCleanStretch = 19,
};

struct KernelRecord {
  static constexpr RecordType kType = RecordType::kKernel;
  int64_t start, end, name, device, context, stream, correlation;
  int64_t grid_x, grid_y, grid_z, block_x, block_y, block_z;
  int64_t registers, static_shared, dynamic_shared, graph, graph_node;
};

struct CopyRecord {
  static constexpr RecordType kType = RecordType::kCopy;
  int64_t start, end, bytes, kind, source, target, device, context, stream, correlation;
  int64_t graph, graph_node;
};

struct MemsetRecord {
  static constexpr RecordType kType = RecordType::kMemset;
  int64_t start, end, bytes, memory, device, context, stream, correlation, graph, graph_node;
};

struct SyncRecord {
  static constexpr RecordType kType = RecordType::kSync;
  int64_t start, end, kind, context, stream, correlation, event;
};

// A call of the CUDA runtime or driver. The correlation is 0 if the call added a node to a graph
// instead of starting work.
struct CallRecord {
  static constexpr RecordType kType = RecordType::kCall;
  int64_t start, end, thread, name, driver, correlation, result;
};

enum class RangeKind : int64_t {
  kPushed = 0,     // NVTX, pushed and popped on one thread
  kStarted = 1,    // NVTX, started on one thread and ended on any
  kModule = 2,     // a module, named as in its parent ("conv1"), the outermost by its class
  kAnnotated = 3,  // an annotation through Warpsight's own interface
  kStep = 4,       // an iteration through Warpsight's own interface
};

// A range of the program. A range that is open for a long time is written before it ends, with an
// end of 0, and may be written again with its end.
struct RangeRecord {
  static constexpr RecordType kType = RecordType::kRange;
  int64_t start, end, thread, name, domain, kind;
};

// An op of PyTorch, or a range of its profiler. `scope` is PyTorch's at::RecordScope; `inputs` is a
// text encoded as in op_inputs.h; `stack` contains "file(line): function", innermost first,
// separated by line breaks; `sequence` is -1 if there is none.
struct OpRecord {
  static constexpr RecordType kType = RecordType::kOp;
  int64_t start, end, thread, name, scope, sequence, forward_thread, inputs, stack;
};

// A node that was created while a graph was captured, or copied when the graph was instantiated.
struct GraphNodeRecord {
  static constexpr RecordType kType = RecordType::kGraphNode;
  int64_t time, thread, graph, node, cloned_from;  // cloned_from: 0 if it was captured
};

// Memory of a GPU, allocated by the framework's allocator or by CUDA itself.
struct MemoryRecord {
  static constexpr RecordType kType = RecordType::kMemory;
  int64_t time, thread, device, address, bytes;  // bytes < 0: freed
  int64_t allocated, reserved;                   // the totals afterwards; -1: unknown
  int64_t by_cuda;                               // 1: by cudaMalloc and the like
};

struct OverheadRecord {
  static constexpr RecordType kType = RecordType::kOverhead;
  int64_t start, end, thread, kind;
};

struct ThreadRecord {
  static constexpr RecordType kType = RecordType::kThread;
  int64_t time, thread, name;
};

struct DeviceRecord {
  static constexpr RecordType kType = RecordType::kDevice;
  int64_t device, name, major, minor, multiprocessors, memory_bytes, threads_per_multiprocessor;
  int64_t registers_per_multiprocessor, shared_per_multiprocessor, warp_size;
};

// The beginning of the reason if recording ended before the program did.
inline constexpr std::string_view kCutShort = "the rest of the recording could not be written";

// Something was not recorded: how many records of which kind, and why. An end of 0 means until the
// program's end.
struct GapRecord {
  static constexpr RecordType kType = RecordType::kGap;
  int64_t start, end, thread, lost, reason;  // lost: -1 if unknown; reason: a text
};

// The recording's clock and Unix time at the same moment.
struct AnchorRecord {
  static constexpr RecordType kType = RecordType::kAnchor;
  int64_t time, unix_time;
};

// An NVTX mark.
struct MarkRecord {
  static constexpr RecordType kType = RecordType::kMark;
  int64_t time, thread, name, domain;
};

// A fact about the process; key and value are texts. If a key occurs several times, the last one
// counts.
//   command, python, host, cupti, driver, torch: of the process
//   rank, world_size, backend: of a distributed job
//   ended: "exit" if the program ended normally
//   clean_steps_missing: why there are no steps in clean stretches, as a sentence
struct FactRecord {
  static constexpr RecordType kType = RecordType::kFact;
  int64_t time, key, value;
};

// One hardware counter of one kernel launch. The launch is identified by the (mangled) name of the
// kernel, its grid and block, and its number among the launches with the same name, grid and block
// in the process, from 0; numbers of launches that could not be measured are missing. The metric's
// name is a text as CUPTI spells it; its value, never negative, is in millionths. `passes` is how
// often the kernel ran to count everything of this launch; 0 in files of older writers.
struct CounterRecord {
  static constexpr RecordType kType = RecordType::kCounter;
  int64_t time, kernel_name, grid_x, grid_y, grid_z, block_x, block_y, block_z, instance;
  int64_t metric, micros, passes;
};

enum class StepState : int64_t {
  kClean = 0,     // within a clean stretch
  kRecorded = 1,  // recorded as a whole
  kNeither = 2,   // recording began or ended in it, or directly before it
};

// The time from one boundary between steps to the next, on the CPU. Both clean and recorded steps
// are timed, by the same boundaries: `source` is a text ("warpsight.step", "Optimizer.step",
// "calls of GPT2LMHeadModel", "NVTX range train step"), `state` a StepState.
struct StepTimeRecord {
  static constexpr RecordType kType = RecordType::kStepTime;
  int64_t start, end, thread, source, state;
};

// An interval in which nothing was enabled or recorded in this process, so that it ran as without
// Warpsight. GPU work that was launched before may run in it and is recorded; work that is launched
// in it may run after its end and is not. An end of 0 means until the program's end; it may be
// written again with its end.
struct CleanStretchRecord {
  static constexpr RecordType kType = RecordType::kCleanStretch;
  int64_t start, end;
};

// The rows of every kind.
using RecordLists =
    std::tuple<std::vector<KernelRecord>, std::vector<CopyRecord>, std::vector<MemsetRecord>,
               std::vector<SyncRecord>, std::vector<CallRecord>, std::vector<RangeRecord>,
               std::vector<OpRecord>, std::vector<GraphNodeRecord>, std::vector<MemoryRecord>,
               std::vector<OverheadRecord>, std::vector<ThreadRecord>, std::vector<DeviceRecord>,
               std::vector<GapRecord>, std::vector<MarkRecord>, std::vector<FactRecord>,
               std::vector<CounterRecord>, std::vector<AnchorRecord>, std::vector<StepTimeRecord>,
               std::vector<CleanStretchRecord>>;

}  // namespace warpsight::wire
