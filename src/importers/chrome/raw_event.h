#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/units.h"

namespace warpsight::importers::chrome {

// The value for "stream": null, which is a lane of a GPU that is not a stream.
inline constexpr int64_t kNoStream = kMissing + 1;

// One record of traceEvents with the fields that have a place in the model. Views refer to the
// block's text: strings without quotes but still escaped, other values as JSON tokens; empty if the
// record lacks the field. Fields may come in any order, so rows are made only after the record was
// read completely.
struct RawEvent {
  const char* begin = nullptr;  // of the record in the block's text, if it was parsed in place
  char phase = 0;
  std::string_view category, name, pid, tid, time, duration, id;
  bool has_args = false;  // anything below differs from its default
  int wrong_types = 0;    // number of fields whose value had an unexpected type

  struct Args {
    std::string_view all;         // the whole object, if it has arguments without a field below
    std::string_view own;         // exported files: "warpsight:args", the original `all`
    std::string_view tail;        // the text from the beginning of the object on
    bool has_other_args = false;  // some argument has no field below
    int64_t external_id = kMissing, sequence = kMissing, forward_thread = kMissing;
    int64_t correlation = kMissing, device = kMissing, context = kMissing, stream = kMissing;
    int64_t bytes = kMissing, registers = kMissing, shared_bytes = kMissing;
    int64_t graph = kMissing, graph_node = kMissing;
    int64_t copy_direction = kMissing, host_memory = kMissing;  // if not in a copy's name
    double blocks_per_sm = kMissingReal, warps_per_sm = kMissingReal,
           occupancy_percent = kMissingReal;
    double bandwidth = kMissingReal;  // GB/s
    // In exported files: data that Kineto's records have no arguments for.
    std::string_view op_name, op_type, op_path, process, nvtx_domain;
    int64_t host_kind = kMissing;
    int64_t recorded_device = kMissing;
    bool only_shown = false;  // the name of a lane that has no name in the model
    std::string_view grid, block;
    std::string_view dims, types, strides, values, call_stack, module_hierarchy;
    int64_t python_id = kMissing, python_parent = kMissing, python_module = kMissing;
    int64_t device_type = kMissing, device_id = kMissing, address = kMissing,
            total_allocated = kMissing, total_reserved = kMissing;
    int64_t wait_stream = kMissing, wait_event = kMissing, wait_record_correlation = kMissing;
    std::string_view collective, collective_dtype, group_name, group_description, group_ranks;
    int64_t elements_in = kMissing, elements_out = kMissing, group_size = kMissing;
    std::string_view label;  // args.name or args.labels of a metadata record
  } args;

  // Resets the event for the next record. A third of all records are flows without arguments, and
  // resetting the arguments costs as much as reading such a record.
  void Clear() {
    phase = 0;
    category = name = pid = tid = time = duration = id = {};
    wrong_types = 0;
    if (has_args) args = {};
    has_args = false;
  }
};

}  // namespace warpsight::importers::chrome
