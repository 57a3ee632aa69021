#include "store/views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/time_groups.h"

// Joins go from the large table to tables that are small or keyed by row number. The words for
// kinds must match the enums of the model.
namespace warpsight::store {
namespace {

constexpr std::string_view kDirection =
    "CASE h.direction WHEN 0 THEN 'forward' WHEN 1 THEN 'backward' WHEN 2 THEN 'optimizer' "
    "WHEN 3 THEN 'data loading' END";

constexpr std::string_view kGpuJoins =
    "LEFT JOIN strings n ON n.id = g.name_id "
    "LEFT JOIN streams s ON s.rowid = g.stream_id "
    "LEFT JOIN devices d ON d.rowid = s.device_id "
    "LEFT JOIN iterations i ON i.rowid = g.iteration_id "
    "LEFT JOIN host_ranges o ON o.rowid = g.op_id "
    "LEFT JOIN strings oname ON oname.id = o.name_id "
    "LEFT JOIN gpu_extras x ON x.rowid = g.extra_id "
    "LEFT JOIN strings xname ON xname.id = x.op_name_id ";

constexpr ViewColumn kGpuId = {"id", "g.rowid", "row in gpu_activities"};
constexpr ViewColumn kDevice = {"device", "d.ordinal", "number of the GPU in its process"};
constexpr ViewColumn kStream = {"stream", "s.stream", "stream number"};
constexpr ViewColumn kGpuStart = {"start_ns", "g.start_ns", "start, from the trace's start"};
constexpr ViewColumn kGpuDuration = {"duration_ns", "g.duration_ns", "duration"};
constexpr ViewColumn kCorrelation = {"correlation", "g.correlation",
                                     "id shared with the API call that launched it"};
constexpr ViewColumn kApiId = {"api_id", "g.api_id", "call that launched it (row in api_calls)"};
constexpr ViewColumn kOp = {
    "op", "coalesce(nullif(xname.text, ''), oname.text)",
    "the op that it names itself, otherwise the innermost op that launched it"};
constexpr ViewColumn kOpId = {"op_id", "g.op_id",
                              "the innermost op that launched it (row in host_ranges)"};
constexpr ViewColumn kIteration = {"iteration", "i.number", "number of the iteration"};

View KernelClasses() {
  return {
      "kernel_classes",
      "Distinct kernel names and their class.",
      {{"name", "n.text", "kernel name"},
       {"short_name", "s.text", "without arguments and namespaces"},
       {"library", "l.text", "library it comes from"},
       {"family", "f.text", "what it computes"},
       {"precision", "p.text", "number format"},
       {"tensor_cores", "CASE k.tensor_cores WHEN 2 THEN true WHEN 1 THEN false END",
        "whether it runs on Tensor Cores; NULL if unknown"},
       {"reason", "r.text", "why it is classified so"},
       {"name_id", "k.name_id", "name (row in strings)"},
       {"tensor_cores_measured", "k.measured_launches > 0",
        "whether this was measured by hardware counters, not derived from the name or the launch"},
       {"collective", "c.text", "which collective it runs; other if unknown"},
       {"generator", "w.text", "program that generated it and chose its launch"},
       {"layout", "y.text", "layout of images it is written for"},
       {"element_bytes", "k.element_bytes", "bytes of an element that it works on"}},
      "FROM kernel_names k "
      "LEFT JOIN strings n ON n.id = k.name_id "
      "LEFT JOIN strings s ON s.id = k.short_name_id "
      "LEFT JOIN strings l ON l.id = k.library_id "
      "LEFT JOIN strings f ON f.id = k.family_id "
      "LEFT JOIN strings p ON p.id = k.precision_id "
      "LEFT JOIN strings r ON r.id = k.reason_id "
      "LEFT JOIN strings c ON c.id = k.collective_id "
      "LEFT JOIN strings w ON w.id = k.generator_id "
      "LEFT JOIN strings y ON y.id = k.layout_id"};
}

View Counters() {
  return {"counters",
          "Hardware counters of kernels, from a separate run.",
          {{"name", "n.text", "kernel name"},
           {"grid_x", "c.grid_x", "blocks in x"},
           {"grid_y", "c.grid_y", "blocks in y"},
           {"grid_z", "c.grid_z", "blocks in z"},
           {"block_x", "c.block_x", "threads per block in x"},
           {"block_y", "c.block_y", "threads per block in y"},
           {"block_z", "c.block_z", "threads per block in z"},
           {"instance", "k.instance", "number of the launch among those like it, from 0"},
           {"passes", "k.passes", "how often it ran for this"},
           {"duration_ns", "k.duration_ns", "time on the GPU while it was measured"},
           {"tensor_instructions", "k.tensor_instructions", "matrix instructions"},
           {"tensor_active_percent", "k.tensor_active_percent",
            "cycles in which the Tensor Cores worked, of all"},
           {"sm_active_percent", "k.sm_active_percent",
            "cycles in which multiprocessors had work, of all"},
           {"dram_read_bytes", "k.dram_read_bytes", "bytes read from the GPU's memory"},
           {"dram_write_bytes", "k.dram_write_bytes", "bytes written to the GPU's memory"},
           {"dram_gb_per_s",
            "(k.dram_read_bytes::DOUBLE + k.dram_write_bytes) / nullif(k.duration_ns, 0)",
            "both over the time, 10^9 bytes per second"},
           {"source", "p.text", "capture file"}},
          "FROM kernel_counters k "
          "LEFT JOIN strings n ON n.id = k.name_id "
          "LEFT JOIN launch_configs c ON c.rowid = k.launch_config_id "
          "LEFT JOIN sources s ON s.rowid = k.source_id "
          "LEFT JOIN strings p ON p.id = s.path_id"};
}

View Kernels() {
  return {"kernels",
          "Kernels as they ran.",
          {kGpuId,
           {"name", "n.text", "kernel name"},
           {"short_name", "k.short_name", "without arguments and namespaces"},
           {"library", "k.library", "library it comes from"},
           {"family", "k.family", "what it computes"},
           {"precision", "k.precision", "number format"},
           {"tensor_cores", "k.tensor_cores", "whether it runs on Tensor Cores; NULL if unknown"},
           kDevice,
           kStream,
           kGpuStart,
           kGpuDuration,
           {"grid_x", "c.grid_x", "blocks in x"},
           {"grid_y", "c.grid_y", "blocks in y"},
           {"grid_z", "c.grid_z", "blocks in z"},
           {"block_x", "c.block_x", "threads per block in x"},
           {"block_y", "c.block_y", "threads per block in y"},
           {"block_z", "c.block_z", "threads per block in z"},
           {"registers", "c.registers", "registers per thread"},
           {"shared_bytes", "c.shared_bytes", "shared memory per block"},
           {"occupancy_percent", "c.occupancy_percent", "estimated achieved occupancy"},
           kCorrelation,
           {"api", "aname.text", "API call that launched it"},
           kApiId,
           kOp,
           kOpId,
           kIteration},
          fmt::format("FROM gpu_activities g {}"
                      "LEFT JOIN kernel_classes k ON k.name_id = g.name_id "
                      "LEFT JOIN launch_configs c ON c.rowid = g.launch_config_id "
                      "LEFT JOIN api_calls a ON a.rowid = g.api_id "
                      "LEFT JOIN strings aname ON aname.id = a.name_id WHERE g.kind = 0",
                      kGpuJoins)};
}

View Copies() {
  return {"copies",
          "Memory copies.",
          {kGpuId,
           {"name", "n.text", "the profiler's name of the copy"},
           {"direction",
            "CASE g.copy_direction WHEN 1 THEN 'HtoD' WHEN 2 THEN 'DtoH' WHEN 3 THEN 'DtoD' WHEN 4 "
            "THEN 'PtoP' WHEN 5 THEN 'HtoH' END",
            "from and to: H host, D device, P peer device"},
           {"host_memory", "CASE g.host_memory WHEN 1 THEN 'pageable' WHEN 2 THEN 'pinned' END",
            "kind of the host's memory; copies of pageable memory are synchronous"},
           {"bytes", "g.bytes", "bytes copied"},
           {"gb_per_s", "g.bytes / nullif(g.duration_ns, 0)", "throughput, 10^9 bytes per second"},
           kDevice,
           kStream,
           kGpuStart,
           kGpuDuration,
           kCorrelation,
           kApiId,
           kOp,
           kOpId,
           kIteration},
          fmt::format("FROM gpu_activities g {}WHERE g.kind = 1", kGpuJoins)};
}

View Memsets() {
  return {"memsets",
          "Memory fills.",
          {kGpuId,
           {"name", "n.text", "the profiler's name of the memset"},
           {"bytes", "g.bytes", "bytes set"},
           kDevice,
           kStream,
           kGpuStart,
           kGpuDuration,
           kCorrelation,
           kApiId,
           kOp,
           kOpId,
           kIteration},
          fmt::format("FROM gpu_activities g {}WHERE g.kind = 2", kGpuJoins)};
}

constexpr std::string_view kHostJoins =
    "LEFT JOIN strings n ON n.id = h.name_id "
    "LEFT JOIN iterations i ON i.rowid = h.iteration_id "
    "LEFT JOIN threads t ON t.rowid = h.thread_id "
    "LEFT JOIN strings tname ON tname.id = t.name_id "
    "LEFT JOIN strings tid ON tid.id = t.tid_id ";

constexpr ViewColumn kThread = {"thread", "coalesce(tname.text, tid.text)",
                                "thread name, or its id"};

View Ops() {
  return {"ops",
          "Framework operators.",
          {{"id", "h.rowid", "row in host_ranges"},
           {"name", "n.text", "op name"},
           kThread,
           {"start_ns", "h.start_ns", "start, from the trace's start"},
           {"duration_ns", "h.duration_ns", "duration on the CPU"},
           {"direction", kDirection, "forward, backward, optimizer or data loading"},
           {"iteration", "i.number", "number of the iteration"},
           {"module_path", "m.text", "module or annotation path, for ops that reports count"},
           {"input_dims", "dims.text", "shape of each input, JSON"},
           {"input_types", "types.text", "type of each input, JSON"},
           {"sequence", "h.sequence", "autograd sequence number"},
           {"external_id", "h.external_id", "id that links launches to this op"},
           {"parent_id", "h.parent_id", "innermost range around it (row in host_ranges)"},
           {"op_id", "h.op_id", "op to which reports attribute it (row in host_ranges)"},
           {"forward_id", "h.forward_id", "forward op of a backward op (row in host_ranges)"}},
          fmt::format("FROM host_ranges h {}"
                      "LEFT JOIN signatures g ON g.rowid = h.signature_id "
                      "LEFT JOIN strings dims ON dims.id = g.input_dims_id "
                      "LEFT JOIN strings types ON types.id = g.input_types_id "
                      "LEFT JOIN module_paths path ON path.op_id = h.rowid "
                      "LEFT JOIN strings m ON m.id = path.path_id WHERE h.kind = 0",
                      kHostJoins)};
}

View Annotations() {
  return {"annotations",
          "User ranges: record_function, NVTX, ProfilerStep.",
          {{"id", "h.rowid", "row in host_ranges"},
           {"name", "n.text", "range name"},
           kThread,
           {"start_ns", "h.start_ns", "start, from the trace's start"},
           {"duration_ns", "h.duration_ns", "duration on the CPU"},
           {"iteration", "i.number", "number of the iteration"},
           {"parent_id", "h.parent_id", "innermost range around it (row in host_ranges)"}},
          fmt::format("FROM host_ranges h {}WHERE h.kind = 1", kHostJoins)};
}

View Api() {
  return {
      "api",
      "CUDA / HIP runtime and driver calls.",
      {{"id", "h.rowid", "row in api_calls"},
       {"name", "n.text", "function"},
       {"kind", "CASE h.kind WHEN 0 THEN 'runtime' WHEN 1 THEN 'driver' END", "runtime or driver"},
       kThread,
       {"start_ns", "h.start_ns", "start, from the trace's start"},
       {"duration_ns", "h.duration_ns", "duration"},
       {"correlation", "h.correlation", "id shared with the GPU work it launched"},
       {"op", "oname.text", "name of the innermost op that made the call"},
       {"op_id", "h.op_id", "that op (row in host_ranges)"},
       {"iteration", "i.number", "number of the iteration"}},
      fmt::format("FROM api_calls h {}"
                  "LEFT JOIN host_ranges o ON o.rowid = h.op_id "
                  "LEFT JOIN strings oname ON oname.id = o.name_id",
                  kHostJoins)};
}

// SQL that converts a column of numbers to words.
template <typename Kind>
std::string Words(std::string_view column, size_t count) {
  std::string sql = fmt::format("CASE {}", column);
  for (size_t i = 0; i < count; ++i) {
    sql += fmt::format(" WHEN {} THEN '{}'", i, ToString(static_cast<Kind>(i)));
  }
  return sql + " END";
}

View Idle() {
  static const std::string kCauses = Words<IdleCause>("p.cause", kIdleCauseCount);
  return {"idle",
          "Intervals in which a GPU was idle.",
          {kDevice,
           {"start_ns", "p.start_ns", "start"},
           {"duration_ns", "p.end_ns - p.start_ns", "duration"},
           {"cause", kCauses, "waiting for data, host synchronization, ...: as in ledger"},
           {"op", "oname.text", "op or range on the CPU that the cause names"},
           {"op_id", "p.op_id", "that op or range (row in host_ranges)"},
           {"next", "nname.text", "GPU work that ended it"},
           {"next_id", "p.next_id", "that work (row in gpu_activities)"}},
          "FROM gaps p LEFT JOIN devices d ON d.rowid = p.device_id "
          "LEFT JOIN host_ranges o ON o.rowid = p.op_id "
          "LEFT JOIN strings oname ON oname.id = o.name_id "
          "LEFT JOIN gpu_activities g ON g.rowid = p.next_id "
          "LEFT JOIN strings nname ON nname.id = g.name_id"};
}

View TimedSteps() {
  return {"timed_steps",
          "Times of steps, recorded or not, by the same boundaries.",
          {{"start_ns", "h.start_ns", "start, from the trace's start"},
           {"duration_ns", "h.duration_ns", "time until the next boundary"},
           {"state",
            "CASE h.state WHEN 0 THEN 'clean' WHEN 1 THEN 'recorded' WHEN 2 THEN 'neither' END",
            "clean: nothing was recorded of it; recorded: all of it; neither: recording began or "
            "ended in it, or directly before it"},
           {"boundary", "b.text", "what separates the steps"},
           {"thread", "coalesce(nullif(tname.text, ''), tid.text)", "thread name, or its id"},
           {"rank", "s.rank", "distributed rank, where recorded"},
           {"path", "f.text", "file"}},
          "FROM step_times h LEFT JOIN strings b ON b.id = h.boundary_id "
          "LEFT JOIN threads t ON t.rowid = h.thread_id "
          "LEFT JOIN strings tname ON tname.id = t.name_id "
          "LEFT JOIN strings tid ON tid.id = t.tid_id "
          "LEFT JOIN processes p ON p.rowid = t.process_id "
          "LEFT JOIN sources s ON s.rowid = p.source_id "
          "LEFT JOIN strings f ON f.id = s.path_id"};
}

View Stretches() {
  return {"stretches",
          "Clean stretches: intervals in which a process was not recorded, with their steps.",
          {{"start_ns", "c.start_ns", "start, from the trace's start"},
           {"duration_ns", "c.duration_ns", "duration"},
           {"steps", "count(h.start_ns)", "clean steps in it"},
           {"mean_step_ns", "avg(h.duration_ns)", "their mean; NULL without any"},
           {"rank", "s.rank", "distributed rank, where recorded"},
           {"path", "f.text", "file"}},
          "FROM clean_stretches c LEFT JOIN sources s ON s.rowid = c.source_id "
          "LEFT JOIN strings f ON f.id = s.path_id "
          "LEFT JOIN (step_times h JOIN threads t ON t.rowid = h.thread_id "
          "JOIN processes p ON p.rowid = t.process_id) ON p.source_id = c.source_id "
          "AND h.state = 0 AND h.start_ns >= c.start_ns "
          "AND h.start_ns < c.start_ns + c.duration_ns "
          "GROUP BY c.rowid, c.start_ns, c.duration_ns, s.rank, f.text ORDER BY c.rowid"};
}

View ImportProblems() {
  return {"import_problems",
          "Problems of the import.",
          {{"path", "f.text", "file"},
           {"code", "c.text", "kind of problem"},
           {"message", "m.text", "what was wrong with the first such record"},
           {"first_offset", "l.first_offset", "its offset, in bytes of the uncompressed file"},
           {"count", "l.count", "how many such records"}},
          "FROM import_log l LEFT JOIN sources s ON s.rowid = l.source_id "
          "LEFT JOIN strings f ON f.id = s.path_id LEFT JOIN strings c ON c.id = l.code_id "
          "LEFT JOIN strings m ON m.id = l.message_id"};
}

View Properties() {
  return {"properties",
          "Metadata of the files and the machine.",
          {{"path", "f.text", "file"},
           {"key", "k.text", "key"},
           {"value", "v.text", "value, JSON as in the file"}},
          "FROM metadata m LEFT JOIN sources s ON s.rowid = m.source_id "
          "LEFT JOIN strings f ON f.id = s.path_id LEFT JOIN strings k ON k.id = m.key_id "
          "LEFT JOIN strings v ON v.id = m.value_id"};
}

View TrustCounts() {
  return {"trust_counts",
          "Counts that show how far the numbers can be trusted.",
          {{"code", "c.text", "what was counted"},
           {"count", "t.\"count\"", "how many, or how many nanoseconds"},
           {"of", "t.\"of\"", "out of how many"},
           {"meaning", "m.text", "how it affects the numbers"}},
          "FROM trust t LEFT JOIN strings c ON c.id = t.code_id "
          "LEFT JOIN strings m ON m.id = t.meaning_id"};
}

View Recommendations() {
  return {"recommendations",
          "What to change, and the predicted effect.",
          {{"rank", "f.rowid + 1", "1 for the one that saves the most"},
           {"rule", "u.text", "rule that found it"},
           {"speedup", "f.speedup", "step without the profiler / predicted step"},
           {"predicted_step_ns", "f.predicted_step_ns",
            "step after the change; NULL if the finding has no prediction"},
           {"saving_ns", "f.saving_ns", "step without the profiler - predicted step"},
           {"confidence",
            "CASE f.confidence WHEN 0 THEN 'low' WHEN 1 THEN 'medium' WHEN 2 THEN 'high' END",
            "low, medium or high"},
           {"problem", "p.text", "what is wrong"},
           {"recommendation", "r.text", "what to change"},
           {"assumes", "a.text", "assumptions of the prediction"}},
          "FROM findings f LEFT JOIN strings u ON u.id = f.rule_id "
          "LEFT JOIN strings p ON p.id = f.problem_id "
          "LEFT JOIN strings r ON r.id = f.recommendation_id "
          "LEFT JOIN strings a ON a.id = f.assumes_id"};
}

View Accounting() {
  static const std::string kEntries = Words<LedgerEntry>("l.entry", kLedgerEntryCount);
  return {
      "accounting",
      "Where the time of every iteration went: the ledger in words.",
      {{"rank", "s.rank", "distributed rank, where recorded"},
       {"iteration", "i.number", "number of the iteration"},
       {"device", "d.ordinal", "number of the GPU in its process; NULL for the process itself"},
       {"entry", kEntries, "what the time was spent on"},
       {"ns", "l.ns", "time"},
       {"window_ns", "coalesce(w.end_ns - w.start_ns, i.window_end_ns - i.window_start_ns)",
        "window of the iteration on this GPU, or in its process, to which the entries sum"},
       {"aggregated", "i.number BETWEEN a.\"first\" AND a.\"last\"", "whether reports count it"}},
      "FROM ledger l LEFT JOIN iterations i ON i.rowid = l.iteration_id "
      "LEFT JOIN sources s ON s.rowid = i.source_id "
      "LEFT JOIN devices d ON d.rowid = l.device_id "
      "LEFT JOIN gpu_windows w ON w.iteration_id = l.iteration_id AND w.device_id = l.device_id "
      "CROSS JOIN aggregations a"};
}

}  // namespace

std::vector<View> Views() {
  return {KernelClasses(), Kernels(),        Copies(),      Memsets(),
          Ops(),           Annotations(),    Api(),         Idle(),
          Accounting(),    TimedSteps(),     Stretches(),   Counters(),
          Properties(),    ImportProblems(), TrustCounts(), Recommendations()};
}

std::string CreateViewSql(const View& view) {
  std::vector<std::string> columns;
  for (const ViewColumn& column : view.columns) {
    columns.push_back(fmt::format("{} AS \"{}\"", column.sql, column.name));
  }
  return fmt::format("CREATE VIEW {} AS SELECT {} {}", view.name, fmt::join(columns, ", "),
                     view.from);
}

}  // namespace warpsight::store
