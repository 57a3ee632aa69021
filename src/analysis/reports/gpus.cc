#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "analysis/aggregation/communication_table.h"
#include "analysis/aggregation/sm_use.h"
#include "analysis/report_parts/op_columns.h"
#include "analysis/report_parts/roofline_columns.h"

namespace warpsight::reports::gpus {
namespace {

struct Counts {
  int64_t kernels = 0;
  int64_t copies = 0;
};

// By device: the amount of work that the analyzed steps launched.
std::vector<Counts> CountWork(const ReportInput& input) {
  const Trace& trace = input.profile.trace;
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  std::vector<Counts> counts(RowCount(trace.tables.devices));
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    if (!input.range.Contains(input.profile, input.profile.facts.gpu.iteration[g])) continue;
    Counts& to = counts[Index(trace.DeviceOf(gpu.stream[g]))];
    ++(gpu.kind[g] == GpuKind::kKernel ? to.kernels : to.copies);
  }
  return counts;
}

class Writer {
 public:
  Writer(const ReportInput& input, RowSink& sink)
      : input_(input),
        trace_(input.profile.trace),
        counts_(CountWork(input)),
        communication_(CommunicationTimes(input)),
        sm_uses_(SmUses(input)),
        sink_(sink) {}

  void Run() {
    const size_t devices = RowCount(trace_.tables.devices);
    for (const GpuUse& use : input_.range.gpus) Write(use.device, &use);
    if (input_.range.gpus.empty()) {
      for (size_t d = 0; d < devices; ++d) Write(MakeId<DeviceId>(d), nullptr);
      sink_.Note(devices == 0 ? "The trace lists no GPU." : "No GPU work was recorded.");
      return;
    }
    // Each rank lists all GPUs of its machine, most of which are used by other ranks.
    const bool ranks = RowCount(trace_.tables.sources) > 1;
    if (const size_t idle = devices - input_.range.gpus.size(); idle > 0 && !ranks) {
      sink_.Note(fmt::format(
          "{} more GPU{} of which the trace has no work in the analyzed steps {} left out.", idle,
          idle == 1 ? "" : "s", idle == 1 ? "is" : "are"));
    }
  }

 private:
  void Write(DeviceId device, const GpuUse* use) {
    const DevicesTable& table = trace_.tables.devices;
    const size_t d = Index(device);
    std::string capability;
    if (table.compute_major[d] != kMissing && table.compute_minor[d] != kMissing) {
      capability = fmt::format("{}.{}", table.compute_major[d], table.compute_minor[d]);
    }
    const std::string_view name = trace_.Text(table.name[d]);
    const auto share = [use](DurationNs part) {
      const DurationNs window = use->window.end - use->window.start;
      return window > 0 ? Cell(100.0 * static_cast<double>(part) / static_cast<double>(window))
                        : Cell();
    };
    const bool communicated = communication_[d].total > 0;
    const Cell cells[] = {Known(table.ordinal[d]),
                          Known(trace_.tables.sources.rank[Index(table.source[d])]),
                          name.empty() ? Cell() : Cell(name),
                          capability.empty() ? Cell() : Cell(capability),
                          Known(table.sms[d]),
                          Known(table.memory_bytes[d]),
                          use == nullptr ? Cell() : share(use->kernel_busy),
                          use == nullptr ? Cell() : share(use->busy),
                          use == nullptr ? Cell() : Cell(use->busy),
                          use == nullptr ? Cell() : Cell(counts_[d].kernels),
                          use == nullptr ? Cell() : Cell(counts_[d].copies),
                          RealCell(sm_uses_[d].sm_efficiency_percent),
                          RealCell(sm_uses_[d].occupancy_percent),
                          RealCell(sm_uses_[d].blocks_per_sm),
                          communicated ? Cell(communication_[d].total) : Cell(),
                          communicated ? Cell(communication_[d].exposed) : Cell(),
                          RealCell(communication_[d].OverlapPercent())};
    sink_.Row(cells);
    if (use != nullptr) sink_.Link(RowLink::To(use->window));
  }

  const ReportInput& input_;
  const Trace& trace_;
  const std::vector<Counts> counts_;
  const std::vector<CommunicationTime> communication_;
  const std::vector<SmUse> sm_uses_;
  RowSink& sink_;
};

void Compute(const ReportInput& input, RowSink& sink) { Writer(input, sink).Run(); }

}  // namespace

Report Define() {
  return {"gpus",
          "GPUs",
          "every GPU with work: its model, and its busy share of the analyzed time",
          {{"GPU", ColumnType::kInteger, "number of the GPU in its process"},
           {"Rank", ColumnType::kInteger, "distributed rank, where recorded"},
           {"Name", ColumnType::kText, "name of the GPU, as recorded"},
           {"Compute Capability", ColumnType::kText, "as recorded"},
           {"SMs", ColumnType::kInteger, "streaming multiprocessors, as recorded"},
           {"Memory (bytes)", ColumnType::kBytes, "global memory, as recorded"},
           {"Utilization (%)", ColumnType::kPercent,
            "time with kernels / time of the analyzed steps; derived"},
           {"Utilization With Copies (%)", ColumnType::kPercent,
            "the same with copies and memsets; derived"},
           {"Busy (ns)", ColumnType::kDurationNs,
            "union of kernels, copies and memsets in this time; derived"},
           {"Kernels", ColumnType::kInteger, "launched in the analyzed steps; measured"},
           {"Copies and Memsets", ColumnType::kInteger, "launched in the analyzed steps; measured"},
           {"Est. SM Efficiency (%)", ColumnType::kPercent,
            "blocks per multiprocessor of the kernels that run, at most 1, averaged over the "
            "analyzed time; estimated"},
           {"Est. Achieved Occupancy (%)", ColumnType::kPercent,
            "of the kernels, averaged over their time; estimated"},
           {"Mean Blocks Per SM", ColumnType::kReal,
            "blocks / multiprocessors of the kernels, averaged over their time; derived"},
           {"Communication (ns)", ColumnType::kDurationNs,
            "union of collectives in this time; empty without any; derived"},
           {"Exposed Communication (ns)", ColumnType::kDurationNs,
            "of that, while no compute kernel ran; derived"},
           {"Communication Overlap (%)", ColumnType::kPercent,
            "share of the communication that overlaps compute kernels; derived"}},
          Compute};
}

}  // namespace warpsight::reports::gpus
