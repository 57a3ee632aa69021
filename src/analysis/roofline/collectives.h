#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace warpsight {

// The bytes of an element, by the type that PyTorch records with collectives ("BFloat16", "Long");
// kMissingReal if it is unknown.
double CollectiveElementBytes(std::string_view dtype);

// The recorded facts about the collective that a kernel runs.
struct Collective {
  CollectiveKind kind = CollectiveKind::kUnknown;
  std::string_view name;   // as recorded; empty if only the kernel's name is known
  std::string_view group;  // name of the process group; empty if not recorded
  std::string_view group_description;
  std::string_view dtype;
  int64_t group_size = kMissing;
  double bytes_in = kMissingReal;  // sent and received by this rank
  double bytes_out = kMissingReal;

  // The size used for bandwidths, as in NCCL's tests: everything received for all_gather,
  // everything sent for reduce_scatter, the message for the others.
  double MessageBytes() const;
  // Bus bandwidth / algorithm bandwidth, as in NCCL's tests (PERFORMANCE.md there): the least
  // amount that a rank has to send, divided by the message size. kMissingReal if the kind or the
  // size of the group is unknown, or if nothing has to be sent.
  double BusFactor() const;
};

// Finds the recorded facts about the collectives of a profile: recorded with the kernel, with the
// op that launched it, or with the range around the launch, in this order. Refers to the profile,
// which must outlive it.
class Collectives {
 public:
  explicit Collectives(ProfileView profile);

  Collective Of(GpuId kernel) const;

 private:
  CollectiveId Recorded(GpuId kernel) const;
  HostId RangeAround(GpuId kernel) const;

  ProfileView profile_;
  // "nccl:…" ranges by thread, in order of start; they do not nest.
  std::vector<std::vector<HostId>> ranges_;
};

}  // namespace warpsight
