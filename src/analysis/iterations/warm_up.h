#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/iterations/serving_steps.h"
#include "model/profile.h"

namespace warpsight {

// The first iteration of [first, last] that is not warm-up, at most `last`. Warm-up are leading
// iterations that take longer than the median of all by more than max(5 MAD, 20 % of it).
// Iterations that are faster than the rest are never warm-up. `serving` contains the kind of each
// step of an inference server, or is empty: prompts take longer than tokens without any setup, so
// steps are compared with those of the same phase.
int64_t SkipWarmUp(const std::vector<DurationNs>& times, const std::vector<ServingStep>& serving,
                   int64_t first, int64_t last);

// Describes the setup work that occurs only in the first `count` iterations of a source, as far as
// it was recorded: "12 allocations, 3 module loads, 5 kernels that do not run later"; otherwise "".
std::string DescribeSetUp(ProfileView profile, SourceId source, int64_t count);

}  // namespace warpsight
