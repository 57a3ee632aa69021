#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace warpsight {

// The recorded kind of an op, or its name.
StringId OpTypeOf(const Trace& trace, HostId op);

// The kind of op that GPU work names; it must name one.
StringId NamedOpType(const Trace& trace, size_t gpu);

// Which GPU work belongs to an op that can use Tensor Cores ("eligible" in reports; advice about
// matrix products covers these). Caches names; not thread-safe.
class EligibleWork {
 public:
  explicit EligibleWork(ProfileView profile);

  // Whether ops of this type can use Tensor Cores.
  bool IsEligible(StringId type);
  // Determined by the op that launched the work, the op under which it counts, or the op that it
  // names. The name of an HLO op may not show what it computes (fusions, custom calls, command
  // buffers); in that case the kernel decides.
  bool operator()(GpuId work);

 private:
  ProfileView profile_;
  std::vector<uint8_t> known_;  // by number of the string
};

}  // namespace warpsight
