#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/trace.h"

namespace warpsight {

// How long a step of one process takes without being recorded and with it (metrics.md, "Steps
// without the profiler"), from the times of its steps: measured, not predicted.
struct CleanSteps {
  // Missing if there are fewer than three such steps.
  std::optional<DurationNs> clean_step, recorded_step;
  int64_t clean_steps = 0, recorded_steps = 0;  // how many are behind them
  int64_t clean_stretches = 0;                  // how many stretches the clean steps are in
  // The lowest and the highest mean of a clean stretch; with one stretch, the 10th and the 90th
  // percentile of its steps. 0 without clean_step.
  DurationNs clean_low = 0, clean_high = 0;
  std::string boundary;  // what separates the steps; "" without any
  // What could not be measured, and why, as a sentence; "" if everything was, or if the recording
  // does not alternate.
  std::string missing;

  // Whether the file says anything about clean steps.
  bool Known() const { return clean_steps > 0 || recorded_steps > 0 || !missing.empty(); }
  // Whether the longest clean stretch takes more than ten times as long per step as the shortest:
  // then the mean describes none of them.
  bool VariesTooMuch() const;
  // What recording adds to a step. It may be negative if it adds less than steps vary. Missing if
  // either step is, or if clean steps vary tenfold.
  std::optional<DurationNs> Added() const;
};

CleanSteps FindCleanSteps(const Trace& trace, SourceId source);

// The rows of step_times with the program's steps: if several threads or kinds of boundaries have
// steps, those that are the most.
std::vector<uint32_t> StepsOf(const Trace& trace, SourceId source);

}  // namespace warpsight
