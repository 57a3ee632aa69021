#include "analysis/reporting/op_columns.h"

namespace warpsight {
namespace {

constexpr ReportColumn kTimeColumns[] = {
    {"Total CPU Time (ns)", ColumnType::kDurationNs, "duration on the CPU, all calls; measured"},
    {"Avg. CPU Time (ns)", ColumnType::kDurationNs, "the same per call"},
    {"Min CPU Time (ns)", ColumnType::kDurationNs, "the shortest call"},
    {"Max CPU Time (ns)", ColumnType::kDurationNs, "the longest call"},
    {"Total GPU Time (ns)", ColumnType::kDurationNs,
     "time with kernels, copies or memsets of a call on the GPU, all calls; measured"},
    {"Avg. GPU Time (ns)", ColumnType::kDurationNs, "the same per call"},
    {"Min GPU Time (ns)", ColumnType::kDurationNs, "the call with the least"},
    {"Max GPU Time (ns)", ColumnType::kDurationNs, "the call with the most"},
    {"Total CPU Overhead (ns)", ColumnType::kDurationNs,
     "CPU time outside of CUDA API calls, all calls; derived"},
    {"Avg. CPU Overhead (ns)", ColumnType::kDurationNs, "the same per call"},
    {"Min CPU Overhead (ns)", ColumnType::kDurationNs, "the call with the least"},
    {"Max CPU Overhead (ns)", ColumnType::kDurationNs, "the call with the most"},
    {"Total GPU Idle (ns)", ColumnType::kDurationNs,
     "between a call's first and last GPU work, with none of it running, all calls; derived"},
    {"Avg. GPU Idle (ns)", ColumnType::kDurationNs, "the same per call"},
    {"Min GPU Idle (ns)", ColumnType::kDurationNs, "the call with the least"},
    {"Max GPU Idle (ns)", ColumnType::kDurationNs, "the call with the most"},
};

}  // namespace

std::vector<ReportColumn> WithTimeColumns(std::vector<ReportColumn> before,
                                          const std::vector<ReportColumn>& after) {
  before.insert(before.end(), std::begin(kTimeColumns), std::end(kTimeColumns));
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

namespace {

void AppendTally(const Tally& tally, double average, std::vector<Cell>& cells) {
  if (tally.count == 0) {
    cells.resize(cells.size() + 4);
    return;
  }
  cells.insert(cells.end(), {tally.total, average, tally.min, tally.max});
}

}  // namespace

void OpAverages::Add(const OpTimes& times) {
  cpu += times.cpu.Average();
  gpu += times.gpu.Average();
  cpu_overhead += times.cpu_overhead.Average();
  gpu_idle += times.gpu_idle.Average();
}

void AppendTally(const Tally& tally, std::vector<Cell>& cells) {
  AppendTally(tally, tally.Average(), cells);
}

void AppendTimes(const OpTimes& times, std::vector<Cell>& cells) {
  OpAverages averages;
  averages.Add(times);
  AppendTimes(times, averages, cells);
}

void AppendTimes(const OpTimes& times, const OpAverages& averages, std::vector<Cell>& cells) {
  AppendTally(times.cpu, averages.cpu, cells);
  AppendTally(times.gpu, averages.gpu, cells);
  AppendTally(times.cpu_overhead, averages.cpu_overhead, cells);
  AppendTally(times.gpu_idle, averages.gpu_idle, cells);
}

Cell DirectionOf(const Op& op) { return op.associated() ? Cell(ToString(op.direction)) : Cell(); }

}  // namespace warpsight
