#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/iterations/serving_steps.h"
#include "model/profile.h"

namespace warpsight {

// How many leading iterations are warm-up: those that take longer than the median by more than
// max(5 MAD, 20 % of it). What is faster than the rest is never warm-up. `serving` says what each
// step of an inference server is about, or is empty: prompts take longer than tokens and set
// nothing up, so steps are compared with those of their phase.
int64_t CountWarmUp(const std::vector<DurationNs>& times, const std::vector<ServingStep>& serving);

// What the first `count` iterations of a source set up and the others do not, as far as it was
// recorded: "12 allocations, 3 module loads, 5 kernels that do not run later"; else "".
std::string DescribeSetUp(ProfileView profile, SourceId source, int64_t count);

}  // namespace warpsight
