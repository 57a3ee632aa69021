#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/whatif/what_if.h"
#include "base/result.h"

namespace warpsight {

// The kind of work that an edit changes.
enum class EditTarget : uint8_t {
  kKernel,
  kCopy,  // copies and memsets
  kOp,    // ops and ranges: their CPU time and the GPU work that they started
  kCpu,   // the same ranges, but only their CPU time
  kApi,   // CUDA calls: their own time; a removed call no longer waits for the GPU
};

// One edit by name: 'kernel~gemm=0.5' scales, 'op~aten::copy_' removes.
struct NamedEdit {
  EditTarget target = EditTarget::kKernel;
  std::string pattern;  // RE2, searched for anywhere in the name
  double factor = 1;    // 0 for edits that remove
  bool remove = false;
  std::string text;  // as the user wrote it
};

Result<NamedEdit> ParseScale(std::string_view text);
Result<NamedEdit> ParseRemove(std::string_view text);

// All edits of a what-if. The named ones are applied in this order, then the others as listed here.
struct WhatIfEdits {
  std::vector<NamedEdit> named;
  bool free_dataloader = false;  // batches are ready
  bool no_syncs = false;         // no call waits for the GPU
  bool async_copies = false;     // copies run on a separate stream, and nothing waits for them
  bool free_launches = false;    // calls that launch GPU work take no time
  bool cuda_graph = false;       // the whole step is one CUDA graph

  bool empty() const {
    return named.empty() && !free_dataloader && !no_syncs && !async_copies && !free_launches &&
           !cuda_graph;
  }
};

// What an edit changed. Counts and times are sums over the aggregated iterations.
struct EditEffect {
  std::string edit;
  std::string_view what;  // "kernels", "calls", ...
  int64_t count = 0;
  DurationNs time = 0;  // before the edit
};

// Applies all edits. An edit that matches nothing is an Error that lists what exists.
Result<std::vector<EditEffect>> ApplyEdits(const WhatIfEdits& edits, const RangeSummary& range,
                                           Scenario& scenario);

}  // namespace warpsight
