#include "importers/capture/counter_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "importers/capture/gpu_rows.h"
#include "model/hash_map.h"

namespace warpsight::importers::capture {
namespace {

// The sum to which a metric is added.
enum class Quantity : uint8_t {
  kUnknown,
  kDuration,
  kCyclesActive,
  kCyclesElapsed,
  kTensorActive,
  kDramRead,
  kDramWrite,
  kMatrixInstructions,
  kNoMatrixInstructions,  // counted as hmma although they are not matrix instructions
  kTensorInstructions,    // for chips that do not count the kinds separately
};
constexpr size_t kQuantities = static_cast<size_t>(Quantity::kTensorInstructions) + 1;

struct Metric {
  std::string_view name;
  Quantity quantity;
};
// The metrics that src/agent/counters/metrics.cc requests; no chip has all of them.
constexpr Metric kMetrics[] = {
    {"gpu__time_duration.sum", Quantity::kDuration},
    {"sm__cycles_active.avg", Quantity::kCyclesActive},
    {"sm__cycles_elapsed.avg", Quantity::kCyclesElapsed},
    {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", Quantity::kTensorActive},
    {"dram__bytes_read.sum", Quantity::kDramRead},
    {"dram__bytes_op_read.sum", Quantity::kDramRead},
    {"dram__bytes_write.sum", Quantity::kDramWrite},
    {"dram__bytes_op_write.sum", Quantity::kDramWrite},
    {"sm__inst_executed_pipe_tensor_op_gmma.sum", Quantity::kMatrixInstructions},
    {"sm__inst_executed_pipe_tensor_op_hmma.sum", Quantity::kMatrixInstructions},
    {"sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum", Quantity::kNoMatrixInstructions},
    {"sm__inst_executed_pipe_tensor_op_imma.sum", Quantity::kMatrixInstructions},
    {"sm__inst_executed_pipe_tensor_op_dmma.sum", Quantity::kMatrixInstructions},
    {"sm__inst_executed_pipe_tensor_subpipe_hmma.sum", Quantity::kMatrixInstructions},
    {"sm__inst_executed_pipe_tensor_subpipe_imma.sum", Quantity::kMatrixInstructions},
    {"sm__inst_executed_pipe_tensor_subpipe_dmma.sum", Quantity::kMatrixInstructions},
    {"sm__inst_executed_pipe_tc.sum", Quantity::kMatrixInstructions},
    {"sm__inst_executed_pipe_tensor.sum", Quantity::kTensorInstructions},
};

Quantity QuantityOf(std::string_view metric) {
  for (const Metric& known : kMetrics) {
    if (known.name == metric) return known.quantity;
  }
  return Quantity::kUnknown;
}

// One launch and the sums of its counters.
struct Launch {
  explicit Launch(const wire::CounterRecord& first) : record(first) { sums.fill(kMissingReal); }

  double Of(Quantity quantity) const { return sums[static_cast<size_t>(quantity)]; }
  void Add(Quantity quantity, double value) {
    double& sum = sums[static_cast<size_t>(quantity)];
    sum = std::max(sum, 0.0) + value;
  }

  const wire::CounterRecord& record;
  std::array<double, kQuantities> sums;
};

int64_t Rounded(double value) { return value < 0 ? kMissing : std::llround(value); }

int64_t MatrixInstructions(const Launch& launch) {
  const double matrix = launch.Of(Quantity::kMatrixInstructions);
  if (matrix < 0) return Rounded(launch.Of(Quantity::kTensorInstructions));
  // The difference may be below 0, since the two are counted in separate passes.
  return Rounded(std::max(0.0, matrix - std::max(0.0, launch.Of(Quantity::kNoMatrixInstructions))));
}

double SmActive(const Launch& launch) {
  const double active = launch.Of(Quantity::kCyclesActive);
  const double elapsed = launch.Of(Quantity::kCyclesElapsed);
  return active < 0 || elapsed <= 0 ? kMissingReal : 100 * active / elapsed;
}

LaunchConfigId ConfigOf(const wire::CounterRecord& record, RowPart& rows) {
  const auto within = [&](int64_t value) { return rows.Within(0, value, kLargestLaunch); };
  TracePart::LaunchConfig config;
  config.grid = {within(record.grid_x), within(record.grid_y), within(record.grid_z)};
  config.block = {within(record.block_x), within(record.block_y), within(record.block_z)};
  return rows.part().Launch(config);
}

void AddRow(const Launch& launch, RowPart& rows) {
  const StringId name = KernelName(launch.record.kernel_name, rows);
  if (name == StringId::kEmpty) {
    rows.Log("no_name", "hardware counters of a kernel that has no name; they were left out");
    return;
  }
  KernelCountersTable& t = rows.tables().kernel_counters;
  t.source.push_back(rows.part().source());
  t.name.push_back(name);
  t.launch_config.push_back(ConfigOf(launch.record, rows));
  t.instance.push_back(rows.Within(0, launch.record.instance, kLargestCount));
  const int64_t passes = rows.Within(0, launch.record.passes, kLargestCount);
  t.passes.push_back(passes == 0 ? kMissing : passes);
  t.duration.push_back(launch.Of(Quantity::kDuration));
  t.tensor_instructions.push_back(MatrixInstructions(launch));
  t.tensor_active_percent.push_back(launch.Of(Quantity::kTensorActive));
  t.sm_active_percent.push_back(SmActive(launch));
  t.dram_read_bytes.push_back(Rounded(launch.Of(Quantity::kDramRead)));
  t.dram_write_bytes.push_back(Rounded(launch.Of(Quantity::kDramWrite)));
}

}  // namespace

void AddCounters(const std::vector<wire::CounterRecord>& records, RowPart& rows) {
  ByNumber<Quantity> quantities;
  std::vector<Launch> launches;
  HashMap<std::array<int64_t, 9>, size_t> at;
  for (const wire::CounterRecord& r : records) {
    const Quantity quantity = quantities.Get(r.metric, [&](int64_t metric) {
      const auto name = rows.Bytes(metric);
      return name ? QuantityOf(*name) : Quantity::kUnknown;
    });
    if (quantity == Quantity::kUnknown) {
      rows.Log("unknown_counter", "values of a hardware counter unknown to this version");
      continue;
    }
    if (rows.Within(0, r.micros, std::numeric_limits<int64_t>::max()) == kMissing) continue;
    const std::array<int64_t, 9> key{r.time,    r.kernel_name, r.grid_x,  r.grid_y,  r.grid_z,
                                     r.block_x, r.block_y,     r.block_z, r.instance};
    const auto [place, is_new] = at.try_emplace(key, launches.size());
    if (is_new) launches.emplace_back(r);
    launches[place->second].Add(quantity, static_cast<double>(r.micros) / 1e6);
  }
  for (const Launch& launch : launches) AddRow(launch, rows);
}

}  // namespace warpsight::importers::capture
