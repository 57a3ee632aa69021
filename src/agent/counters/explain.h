#pragma once

#include <string>
#include <string_view>

#include "agent/cuda_abi/cupti_callbacks.h"

namespace warpsight::agent {

// A readable explanation of why counters could not be read: the CUPTI call, its result, and what
// the user can do.
std::string ExplainFailure(std::string_view step, CUptiResult result, std::string_view cupti_text);

}  // namespace warpsight::agent
