#pragma once

#include <cstdint>
#include <string>

#include "agent/cuda_abi/cupti_activity.h"
#include "agent/cuda_abi/cupti_callbacks.h"
#include "agent/cuda_abi/cupti_counters.h"
#include "agent/driver/library.h"

namespace warpsight::agent {

// The functions of libcupti for hardware counters: its Range Profiler, since CUDA 12.6.
struct CounterApi {
#define WARPSIGHT_COUNTER_FUNCTIONS(X)            \
  X(cuptiGetVersion)                              \
  X(cuptiGetResultString)                         \
  X(cuptiSubscribe)                               \
  X(cuptiEnableCallback)                          \
  X(cuptiGetCallbackName)                         \
  X(cuptiGetDeviceId)                             \
  X(cuptiProfilerInitialize)                      \
  X(cuptiDeviceGetChipName)                       \
  X(cuptiProfilerHostInitialize)                  \
  X(cuptiProfilerHostDeinitialize)                \
  X(cuptiProfilerHostGetBaseMetrics)              \
  X(cuptiProfilerHostConfigAddMetrics)            \
  X(cuptiProfilerHostGetConfigImageSize)          \
  X(cuptiProfilerHostGetConfigImage)              \
  X(cuptiProfilerHostGetNumOfPasses)              \
  X(cuptiProfilerHostEvaluateToGpuValues)         \
  X(cuptiRangeProfilerEnable)                     \
  X(cuptiRangeProfilerDisable)                    \
  X(cuptiRangeProfilerGetCounterDataSize)         \
  X(cuptiRangeProfilerCounterDataImageInitialize) \
  X(cuptiRangeProfilerSetConfig)                  \
  X(cuptiRangeProfilerStart)                      \
  X(cuptiRangeProfilerStop)                       \
  X(cuptiRangeProfilerPushRange)                  \
  X(cuptiRangeProfilerPopRange)                   \
  X(cuptiRangeProfilerDecodeData)                 \
  X(cuptiRangeProfilerGetCounterDataInfo)
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name cannot be declared in parentheses.
#define WARPSIGHT_DECLARE(function) decltype(&agent::function) function = nullptr;
  WARPSIGHT_COUNTER_FUNCTIONS(WARPSIGHT_DECLARE)
#undef WARPSIGHT_DECLARE

  uint32_t version = 0;

  // The first function that this libcupti lacks, else empty.
  std::string Load(const Library& library);
};

// The last failed CUPTI call.
struct CounterFailure {
  const char* step = "";
  CUptiResult result = CUPTI_SUCCESS;

  // Whether the call succeeded; a failure is recorded.
  bool Ok(CUptiResult answer, const char* asked) {
    if (answer == CUPTI_SUCCESS) return true;
    step = asked;
    result = answer;
    return false;
  }
};

}  // namespace warpsight::agent
