#pragma once

// The oldest versions of CUDA whose libcupti has every function that recording needs
// (agent/cupti/api.h), and those that reading hardware counters needs (agent/counters/api.h).
namespace warpsight::wire {

inline constexpr const char* kOldestCuda = "11.6";
inline constexpr const char* kOldestCountersCuda = "12.6";

}  // namespace warpsight::wire
