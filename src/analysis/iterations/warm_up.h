#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/iterations/serving_steps.h"
#include "model/profile.h"

namespace warpsight {

// How many leading iterations are warm-up: those that take longer than the median by more than
// max(5 MAD, 20 % of it). Iterations that are faster than the rest are never warm-up. `serving`
// contains the kind of each step of an inference server, or is empty: prompts take longer than
// tokens without any setup, so steps are compared with those of the same phase.
int64_t CountWarmUp(const std::vector<DurationNs>& times, const std::vector<ServingStep>& serving);

// Describes the setup work that occurs only in the first `count` iterations of a source, as far as
// it was recorded: "12 allocations, 3 module loads, 5 kernels that do not run later"; otherwise "".
std::string DescribeSetUp(ProfileView profile, SourceId source, int64_t count);

}  // namespace warpsight
