#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace warpsight {

// Bytes of an element of a type as PyTorch records it with collectives ("BFloat16", "Long");
// kMissingReal where it is not known.
double CollectiveElementBytes(std::string_view dtype);

// What is recorded about the collective that a kernel runs.
struct Collective {
  CollectiveKind kind = CollectiveKind::kUnknown;
  std::string_view name;   // as recorded; empty where only the kernel's name tells
  std::string_view group;  // name of the process group; empty where not recorded
  std::string_view group_description;
  std::string_view dtype;
  int64_t group_size = kMissing;
  double bytes_in = kMissingReal;  // sent and received by this rank
  double bytes_out = kMissingReal;

  // The size used for bandwidths, as in NCCL's tests: everything received for all_gather,
  // everything sent for reduce_scatter, the message for the others.
  double MessageBytes() const;
  // Bus bandwidth / algorithm bandwidth, as in NCCL's tests (PERFORMANCE.md there): what a rank has
  // to send at least, divided by the message. kMissingReal where the kind or the size of the group
  // is not known, or nothing has to be sent.
  double BusFactor() const;
};

// Finds what is recorded about the collectives of a profile: with the kernel, with the op that
// launched it, or with the range around the launch, in this order. It refers to the profile, which
// must outlive it.
class Collectives {
 public:
  explicit Collectives(ProfileView profile);

  Collective Of(GpuId kernel) const;

 private:
  CollectiveId Recorded(GpuId kernel) const;
  HostId RangeAround(GpuId kernel) const;

  ProfileView profile_;
  // "nccl:…" ranges by thread, in order of their start; they do not nest.
  std::vector<std::vector<HostId>> ranges_;
};

}  // namespace warpsight
