#include "model/number_rules.h"

#include <algorithm>

#include "base/check.h"

namespace warpsight {
namespace {

using enum Quantity;
using enum Presence;

constexpr NumberRule kRules[] = {
    {"sources", "bytes", kCount, kOptional},
    {"sources", "events", kCount, kRequired},
    {"sources", "rank", kNumber, kOptional},
    {"sources", "world_size", kNumber, kOptional},
    {"sources", "host_ranges", kCount, kRequired},
    {"sources", "ops", kCount, kRequired},
    {"sources", "api_calls", kCount, kRequired},

    {"devices", "ordinal", kNumber, kRequired},
    {"devices", "compute_major", kNumber, kOptional},
    {"devices", "compute_minor", kNumber, kOptional},
    {"devices", "sms", kNumber, kOptional},
    {"devices", "memory_bytes", kCount, kOptional},
    {"devices", "threads_per_sm", kNumber, kOptional},
    {"devices", "regs_per_sm", kNumber, kOptional},
    {"devices", "shared_per_sm", kNumber, kOptional},
    {"devices", "warp_size", kNumber, kOptional},
    {"devices", "kernels", kCount, kRequired},
    {"devices", "copies", kCount, kRequired},
    {"devices", "memsets", kCount, kRequired},
    {"devices", "kernel_ns", kPart, kRequired},
    {"devices", "busy_ns", kPart, kRequired},
    {"devices", "without_op_ns", kPart, kRequired},
    {"devices", "first_ns", kTime, kOptional},
    {"devices", "last_ns", kTime, kOptional},

    {"streams", "context", kIdentifier, kOptional},
    {"streams", "stream", kIdentifier, kOptional},
    {"streams", "recorded_device", kNumber, kOptional},

    {"launch_configs", "grid_x", kNumber, kOptional},
    {"launch_configs", "grid_y", kNumber, kOptional},
    {"launch_configs", "grid_z", kNumber, kOptional},
    {"launch_configs", "block_x", kNumber, kOptional},
    {"launch_configs", "block_y", kNumber, kOptional},
    {"launch_configs", "block_z", kNumber, kOptional},
    {"launch_configs", "registers", kNumber, kOptional},
    {"launch_configs", "shared_bytes", kNumber, kOptional},
    {"launch_configs", "blocks_per_sm", kReal, kOptional},
    {"launch_configs", "warps_per_sm", kReal, kOptional},
    {"launch_configs", "occupancy_percent", kReal, kOptional},

    {"collectives", "elements_in", kCount, kOptional},
    {"collectives", "elements_out", kCount, kOptional},
    {"collectives", "group_size", kNumber, kOptional},

    {"host_extras", "python_id", kIdentifier, kOptional},
    {"host_extras", "python_parent", kIdentifier, kOptional},
    {"host_extras", "python_module", kIdentifier, kOptional},

    {"gpu_extras", "graph", kIdentifier, kOptional},
    {"gpu_extras", "graph_node", kIdentifier, kOptional},
    {"gpu_extras", "bandwidth", kReal, kOptional},

    {"host_ranges", "start_ns", kTime, kRequired},
    {"host_ranges", "duration_ns", kDuration, kRequired},
    {"host_ranges", "external_id", kIdentifier, kOptional},
    {"host_ranges", "sequence", kIdentifier, kOptional},
    {"host_ranges", "forward_thread", kIdentifier, kOptional},

    {"nvtx_ranges", "start_ns", kTime, kRequired},
    {"nvtx_ranges", "duration_ns", kDuration, kRequired},

    {"api_calls", "start_ns", kTime, kRequired},
    {"api_calls", "duration_ns", kDuration, kRequired},
    {"api_calls", "correlation", kIdentifier, kOptional},
    {"api_calls", "external_id", kIdentifier, kOptional},

    {"gpu_activities", "start_ns", kTime, kRequired},
    {"gpu_activities", "duration_ns", kDuration, kRequired},
    {"gpu_activities", "correlation", kIdentifier, kOptional},
    {"gpu_activities", "external_id", kIdentifier, kOptional},
    {"gpu_activities", "bytes", kCount, kOptional},

    {"gpu_annotations", "start_ns", kTime, kRequired},
    {"gpu_annotations", "duration_ns", kDuration, kRequired},
    {"gpu_annotations", "external_id", kIdentifier, kOptional},

    {"syncs", "start_ns", kTime, kRequired},
    {"syncs", "duration_ns", kDuration, kRequired},
    {"syncs", "correlation", kIdentifier, kOptional},
    {"syncs", "wait_stream", kIdentifier, kOptional},
    {"syncs", "wait_event", kIdentifier, kOptional},
    {"syncs", "wait_record_correlation", kIdentifier, kOptional},

    {"memory_events", "time_ns", kTime, kRequired},
    {"memory_events", "device_type", kIdentifier, kOptional},
    {"memory_events", "device", kIdentifier, kOptional},
    {"memory_events", "address", kIdentifier, kOptional},
    {"memory_events", "bytes", kChange, kOptional},
    {"memory_events", "total_allocated", kChange, kOptional},
    {"memory_events", "total_reserved", kChange, kOptional},

    {"flows", "time_ns", kTime, kRequired},
    {"flows", "flow", kIdentifier, kOptional},

    {"instants", "time_ns", kTime, kRequired},

    {"step_times", "start_ns", kTime, kRequired},
    {"step_times", "duration_ns", kDuration, kRequired},

    {"clean_stretches", "start_ns", kTime, kRequired},
    {"clean_stretches", "duration_ns", kDuration, kRequired},

    {"kernel_counters", "instance", kCount, kOptional},
    {"kernel_counters", "passes", kCount, kOptional},
    {"kernel_counters", "duration_ns", kReal, kOptional},
    {"kernel_counters", "tensor_instructions", kCount, kOptional},
    {"kernel_counters", "tensor_active_percent", kReal, kOptional},
    {"kernel_counters", "sm_active_percent", kReal, kOptional},
    {"kernel_counters", "dram_read_bytes", kCount, kOptional},
    {"kernel_counters", "dram_write_bytes", kCount, kOptional},

    {"import_log", "first_offset", kCount, kOptional},
    {"import_log", "count", kCount, kRequired},

    {"iterations", "number", kNumber, kRequired},
    {"iterations", "start_ns", kTime, kRequired},
    {"iterations", "end_ns", kTime, kRequired},
    {"iterations", "gpu_end_ns", kTime, kRequired},
    {"iterations", "window_start_ns", kTime, kRequired},
    {"iterations", "window_end_ns", kTime, kRequired},
    {"iterations", "reader_ns", kTotal, kRequired},
    {"iterations", "launches", kCount, kRequired},
    {"iterations", "synchronizations", kCount, kRequired},
    {"iterations", "copied_bytes", kTotal, kRequired},

    {"gaps", "start_ns", kTime, kRequired},
    {"gaps", "end_ns", kTime, kRequired},

    {"gpu_windows", "start_ns", kTime, kRequired},
    {"gpu_windows", "end_ns", kTime, kRequired},

    {"ledger", "ns", kDuration, kRequired},

    {"ledger_totals", "ns", kDuration, kRequired},

    {"op_kinds", "associated", kFlag, kRequired},
    {"op_kinds", "ops", kCount, kRequired},
    {"op_kinds", "eligible_ops", kCount, kRequired},
    {"op_kinds", "calls", kCount, kRequired},
    {"op_kinds", "gpu_ns", kPart, kRequired},
    {"op_kinds", "cpu_ns", kPart, kRequired},

    {"kernel_uses", "in_eligible_op", kFlag, kRequired},
    {"kernel_uses", "count", kCount, kRequired},
    {"kernel_uses", "gpu_ns", kPart, kRequired},
    {"kernel_uses", "api_ns", kPart, kRequired},

    {"kernel_names", "measured_launches", kNumber, kRequired},
    {"kernel_names", "element_bytes", kNumber, kOptional},

    {"aggregations", "first", kNumber, kRequired},
    {"aggregations", "last", kNumber, kRequired},
    {"aggregations", "batch_size", kCount, kOptional},

    {"trust", "count", kTotal, kRequired},
    {"trust", "of", kTotal, kRequired},

    {"advice", "measured_step_ns", kTotal, kOptional},
    {"advice", "replayed_step_ns", kTotal, kOptional},
    {"advice", "unprofiled_step_ns", kTotal, kOptional},
    {"advice", "combined_step_ns", kTotal, kOptional},

    {"critical_path", "ns", kDuration, kRequired},
    {"findings", "predicted_step_ns", kTotal, kOptional},
    {"findings", "saving_ns", kChange, kOptional},
    {"findings", "speedup", kReal, kOptional},
    {"findings", "combined", kFlag, kRequired},

    {"finding_evidence", "time_ns_per_step", kTotal, kOptional},
    {"finding_evidence", "count_per_step", kTotal, kOptional},
    {"finding_evidence", "start_ns", kTime, kOptional},
    {"finding_evidence", "duration_ns", kTotal, kOptional},
};

}  // namespace

std::span<const NumberRule> NumberRules() { return kRules; }

const NumberRule& NumberRuleOf(std::string_view table, std::string_view column) {
  const auto* rule = std::find_if(std::begin(kRules), std::end(kRules), [&](const NumberRule& r) {
    return r.table == table && r.column == column;
  });
  WS_CHECK(rule != std::end(kRules));
  return *rule;
}

}  // namespace warpsight
