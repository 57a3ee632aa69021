#pragma once

#include <cstdint>
#include <vector>

#include "analysis/advice/rule.h"

namespace warpsight {

// How the GPU work of the aggregated iterations was launched.
struct Launches {
  std::vector<int64_t> per_iteration;  // GPU work of each, those with none left out
  int64_t by_graph = 0;
  int64_t total = 0;

  bool MostlyByGraph() const { return 2 * by_graph > total; }
  // Whether every iteration starts as much work.
  bool SameInEach() const;
};

Launches CountLaunches(const RuleInput& input);

// Whether putting the step into a CUDA graph can change how it is launched: iterations are known,
// most work is launched one by one, and there is enough of it.
bool GraphsApply(const RuleInput& input, const Launches& launches);

}  // namespace warpsight
