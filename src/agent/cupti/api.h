#pragma once

#include <cstdint>
#include <string>

#include "agent/cuda_abi/cupti_activity.h"
#include "agent/cuda_abi/cupti_callbacks.h"
#include "agent/driver/library.h"

namespace warpsight::agent {

// The functions of the program's libcupti. The newest of the required ones came with CUDA 11.6; an
// optional one that this version lacks is null.
struct CuptiApi {
#define WARPSIGHT_CUPTI_REQUIRED(X) \
  X(cuptiGetVersion)                \
  X(cuptiGetResultString)           \
  X(cuptiSubscribe)                 \
  X(cuptiEnableCallback)            \
  X(cuptiGetCallbackName)           \
  X(cuptiActivityRegisterCallbacks) \
  X(cuptiActivityEnable)            \
  X(cuptiActivityDisable)           \
  X(cuptiActivityFlushAll)          \
  X(cuptiActivityGetNextRecord)     \
  X(cuptiActivityRegisterTimestampCallback)
#define WARPSIGHT_CUPTI_OPTIONAL(X)    \
  X(cuptiSubscribe_v2)                 \
  X(cuptiActivityGetNumDroppedRecords) \
  X(cuptiActivitySetAttribute)         \
  X(cuptiActivityEnableAllSyncRecords) \
  X(cuptiSetThreadIdType)              \
  X(cuptiGetGraphNodeId)               \
  X(cuptiGetGraphId)
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name cannot be declared in parentheses.
#define WARPSIGHT_DECLARE(function) decltype(&agent::function) function = nullptr;
  WARPSIGHT_CUPTI_REQUIRED(WARPSIGHT_DECLARE)
  WARPSIGHT_CUPTI_OPTIONAL(WARPSIGHT_DECLARE)
#undef WARPSIGHT_DECLARE

  uint32_t version = 0;

  // The first required function that this libcupti lacks, else empty.
  std::string Load(const Library& library);
};

}  // namespace warpsight::agent
