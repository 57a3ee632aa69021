#include "analysis/report_parts/op_columns.h"

#include <string_view>

namespace warpsight {
namespace {

// The sixteen columns of times, with documentation for calls and for iterations.
struct TimeColumn {
  std::string_view name;
  std::string_view of_calls;
  std::string_view of_iterations;
};

constexpr TimeColumn kTimeColumns[] = {
    {"Total CPU Time (ns)", "duration on the CPU, all calls; measured",
     "duration of its calls on the CPU; measured"},
    {"Avg. CPU Time (ns)", "the same per call", "the same per iteration in which it ran"},
    {"Min CPU Time (ns)", "the shortest call", "the iteration with the least"},
    {"Max CPU Time (ns)", "the longest call", "the iteration with the most"},
    {"Total GPU Time (ns)",
     "time with kernels, copies or memsets of a call on the GPU, all calls; measured",
     "time with kernels, copies or memsets of a call on the GPU, summed over its calls; measured"},
    {"Avg. GPU Time (ns)", "the same per call", "the same per iteration in which it ran"},
    {"Min GPU Time (ns)", "the call with the least", "the iteration with the least"},
    {"Max GPU Time (ns)", "the call with the most", "the iteration with the most"},
    {"Total CPU Overhead (ns)", "CPU time outside CUDA API calls, all calls; derived",
     "CPU time of its calls outside CUDA API calls; derived"},
    {"Avg. CPU Overhead (ns)", "the same per call", "the same per iteration in which it ran"},
    {"Min CPU Overhead (ns)", "the call with the least", "the iteration with the least"},
    {"Max CPU Overhead (ns)", "the call with the most", "the iteration with the most"},
    {"Total GPU Idle (ns)",
     "between a call's first and last GPU work, with none of it running, all calls; derived",
     "between a call's first and last GPU work, with none of it running, summed over its calls; "
     "derived"},
    {"Avg. GPU Idle (ns)", "the same per call", "the same per iteration in which it ran"},
    {"Min GPU Idle (ns)", "the call with the least", "the iteration with the least"},
    {"Max GPU Idle (ns)", "the call with the most", "the iteration with the most"},
};

}  // namespace

std::vector<ReportColumn> WithTimeColumns(std::vector<ReportColumn> before,
                                          const std::vector<ReportColumn>& after, TimesOf of) {
  for (const TimeColumn& column : kTimeColumns) {
    before.push_back({column.name, ColumnType::kDurationNs,
                      of == TimesOf::kCalls ? column.of_calls : column.of_iterations});
  }
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

void AppendTally(const Tally& tally, std::vector<Cell>& cells) {
  if (tally.count == 0) {
    cells.resize(cells.size() + 4);
    return;
  }
  cells.insert(cells.end(), {tally.total, tally.Average(), tally.min, tally.max});
}

void AppendTimes(const OpTimes& times, std::vector<Cell>& cells) {
  AppendTally(times.cpu, cells);
  AppendTally(times.gpu, cells);
  AppendTally(times.cpu_overhead, cells);
  AppendTally(times.gpu_idle, cells);
}

Cell DirectionOf(const Op& op) { return op.associated() ? Cell(ToString(op.direction)) : Cell(); }

}  // namespace warpsight
