#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "analysis/whatif/step_graph.h"

namespace warpsight {

std::string_view ToString(PathPart part);

struct Replay {
  DurationNs step = 0;  // length of an iteration once the iterations follow each other steadily
  // The critical path of one round of the iterations, per iteration; sums to `step`.
  std::array<DurationNs, kPathPartCount> path{};
  PathPart Bottleneck() const;
  // Stretches the path so that it sums to another step.
  void Resize(DurationNs length);
};

// The length of an iteration from a replay that begins in the same state as the recording,
// including the GPU's queue, for comparison with the measurement.
DurationNs ReplayAsMeasured(const StepGraph& graph);

// Lets the iterations of a graph follow each other until their length no longer changes.
Replay ReplayGraph(const Trace& trace, const StepGraph& graph);
// Only its length.
DurationNs ReplayStep(const StepGraph& graph);
// Of several sources: the slowest, since they work on the same step.
DurationNs ReplayStep(std::span<const StepGraph> graphs);

}  // namespace warpsight
