#pragma once

#include <cstdint>
#include <vector>

#include "analysis/advice/rule.h"

namespace warpsight {

// How the GPU work of the aggregated iterations was launched.
struct Launches {
  std::vector<int64_t> per_iteration;  // amount of GPU work, in iterations that have any
  int64_t by_graph = 0;
  int64_t total = 0;

  bool MostlyByGraph() const { return 2 * by_graph > total; }
  // Whether every iteration launches the same amount of work.
  bool SameInEach() const;
};

Launches CountLaunches(const RuleInput& input);

// Whether capturing the step in a CUDA graph can help: the iterations are known, most work is
// launched one by one, and there are enough launches.
bool GraphsApply(const RuleInput& input, const Launches& launches);

}  // namespace warpsight
