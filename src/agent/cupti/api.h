#pragma once

#include <cstdint>

#include <cupti.h>

#include "agent/driver/library.h"

namespace warpsight::agent {

// The functions of the program's libcupti. One that this version lacks is null.
struct CuptiApi {
#define WARPSIGHT_CUPTI_FUNCTIONS(X)        \
  X(cuptiGetVersion)                        \
  X(cuptiGetResultString)                   \
  X(cuptiSubscribe)                         \
  X(cuptiSubscribe_v2)                      \
  X(cuptiEnableCallback)                    \
  X(cuptiGetCallbackName)                   \
  X(cuptiActivityRegisterCallbacks)         \
  X(cuptiActivityEnable)                    \
  X(cuptiActivityFlushAll)                  \
  X(cuptiActivityGetNextRecord)             \
  X(cuptiActivityGetNumDroppedRecords)      \
  X(cuptiActivitySetAttribute)              \
  X(cuptiActivityRegisterTimestampCallback) \
  X(cuptiActivityEnableAllSyncRecords)      \
  X(cuptiSetThreadIdType)                   \
  X(cuptiGetGraphNodeId)                    \
  X(cuptiGetGraphId)
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name cannot be declared in parentheses.
#define WARPSIGHT_DECLARE(function) decltype(&::function) function = nullptr;
  WARPSIGHT_CUPTI_FUNCTIONS(WARPSIGHT_DECLARE)
#undef WARPSIGHT_DECLARE

  uint32_t version = 0;

  // False where libcupti lacks what cannot be done without.
  bool Load(const Library& library);
};

}  // namespace warpsight::agent
