#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "model/hash_map.h"
#include "model/profile.h"

namespace warpsight {

// The number of a call among the calls of its function, restarting from 0 in every iteration. If
// functions are marked (SourcesWithMarkedFunctions), DLProf treats each call of an iteration as a
// separate op, and matches it to the next iteration by its number. Everywhere else the number is 0.
class CallNumbers {
 public:
  explicit CallNumbers(ProfileView profile);

  // For a call of a marked function.
  uint32_t Of(HostId function) const { return Of(hosts_, Index(function)); }
  // For an API call outside all ops.
  uint32_t Of(ApiId call) const { return Of(calls_, Index(call)); }
  // Whether an API call outside all ops counts as an op.
  bool IsOp(ApiId call) const {
    return !calls_.empty() &&
           marked_[Index(trace_.SourceOf(trace_.tables.api.thread[Index(call)]))];
  }

 private:
  static uint32_t Of(const std::vector<uint32_t>& numbers, size_t row) {
    return numbers.empty() ? 0 : numbers[row];
  }

  const Trace& trace_;
  std::vector<bool> marked_;     // by source
  std::vector<uint32_t> hosts_;  // by row of host_ranges; empty if no source has marked functions
  std::vector<uint32_t> calls_;  // by row of api_calls; likewise
};

}  // namespace warpsight
