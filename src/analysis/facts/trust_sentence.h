#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace warpsight {

// One way in which a profile's numbers are limited.
struct TrustLimit {
  std::string_view code;  // of the trust table, or no_gpu_work, no_cpu_ops
  double share = 1;       // of what was counted
  bool serious = false;   // figures and rankings change
  std::string text;       // "12 % of the GPU work has no recorded launch"
};

// All relevant limits, serious ones first.
std::vector<TrustLimit> TrustLimits(ProfileView profile);

// A sentence that says whether this profile's numbers can be trusted, and what limits them.
std::string TrustSentence(ProfileView profile);

}  // namespace warpsight
