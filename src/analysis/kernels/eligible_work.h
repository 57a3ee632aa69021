#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace warpsight {

// The recorded kind of an op, or its name.
StringId OpTypeOf(const Trace& trace, HostId op);

// That of the op that GPU work names; it names one.
StringId NamedOpType(const Trace& trace, size_t gpu);

// Which GPU work belongs to an op that can use Tensor Cores ("eligible" in reports; advice about
// matrix products covers these). Caches names; not thread-safe.
class EligibleWork {
 public:
  explicit EligibleWork(ProfileView profile);

  // By the name of a type of ops.
  bool IsEligible(StringId type);
  // By the op that started the work, the op under which it counts or the op that it names. The name
  // of an HLO op may hide what it computes (fusions, custom calls, command buffers): there the
  // kernel tells.
  bool operator()(GpuId work);

 private:
  ProfileView profile_;
  std::vector<uint8_t> known_;  // by string
};

}  // namespace warpsight
