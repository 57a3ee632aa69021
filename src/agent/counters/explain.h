#pragma once

#include <cupti.h>

#include <string>
#include <string_view>

namespace warpsight::agent {

// Why counters could not be read, in words for people: what CUPTI was asked for, what it answered,
// and what can be done about it.
std::string ExplainFailure(std::string_view step, CUptiResult result, std::string_view cupti_text);

}  // namespace warpsight::agent
