#pragma once

#include <cstdint>

#include "base/units.h"

// What the agent writes down: one struct for each kind of thing, all of 64-bit numbers, so that the
// layout is the same everywhere. Texts are numbers of the file's strings (0: none). Times are of
// the recording's clock. A kind lists its fields once, in the order in which they are written; new
// ones go to the end.
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

// A call of the CUDA runtime or driver.
struct CallRecord {
  static constexpr RecordType kType = RecordType::kCall;
  int64_t start, end, thread, name, driver, correlation, result;
};

// An NVTX range; `nested` where it was pushed and popped.
struct RangeRecord {
  static constexpr RecordType kType = RecordType::kRange;
  int64_t start, end, thread, name, domain, nested;
};

// An op of PyTorch, or one of its own scopes.
struct OpRecord {
  static constexpr RecordType kType = RecordType::kOp;
  int64_t start, end, thread, name, scope, sequence, forward_thread, shapes, types, module;
};

// A node that was made while a graph was captured, or copied when the graph was instantiated.
struct GraphNodeRecord {
  static constexpr RecordType kType = RecordType::kGraphNode;
  int64_t time, thread, graph, node, cloned_from;  // cloned_from: 0 where it was captured
};

struct MemoryRecord {
  static constexpr RecordType kType = RecordType::kMemory;
  int64_t time, thread, device, address, bytes, allocated, reserved;  // bytes < 0: freed
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

// Something was not recorded: how many records of what, and why.
struct GapRecord {
  static constexpr RecordType kType = RecordType::kGap;
  int64_t start, end, thread, lost, reason;  // reason: a text
};

// An NVTX mark.
struct MarkRecord {
  static constexpr RecordType kType = RecordType::kMark;
  int64_t time, thread, name, domain;
};

// A fact about the process: key and value are texts.
struct FactRecord {
  static constexpr RecordType kType = RecordType::kFact;
  int64_t time, key, value;
};

}  // namespace warpsight::wire
