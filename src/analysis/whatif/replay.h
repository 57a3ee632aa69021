#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "analysis/whatif/step_graph.h"

namespace warpsight {

std::string_view ToString(PathPart part);

struct Replay {
  DurationNs step = 0;  // length of an iteration in the steady state
  // The critical path of one round of the iterations, per iteration; sums to `step`.
  std::array<DurationNs, kPathPartCount> path{};
  PathPart Bottleneck() const;
  // Scales the path so that it sums to another step.
  void Resize(DurationNs length);
};

// The length of an iteration in a replay that begins with the same state as the recording,
// including the GPU's queue. It is compared with the measured length.
DurationNs ReplayAsMeasured(const StepGraph& graph);

// Repeats the iterations of a graph until their length no longer changes.
Replay ReplayGraph(const Trace& trace, const StepGraph& graph);
// Returns only the length.
DurationNs ReplayStep(const StepGraph& graph);
// For several sources: the slowest, since they work on the same step.
DurationNs ReplayStep(std::span<const StepGraph> graphs);

}  // namespace warpsight
