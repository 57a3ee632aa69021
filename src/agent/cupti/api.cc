#include "agent/cupti/api.h"

namespace warpsight::agent {

bool CuptiApi::Load(const Library& library) {
#define WARPSIGHT_LOAD(function) function = library.Find<decltype(::function)>(#function);
  WARPSIGHT_CUPTI_FUNCTIONS(WARPSIGHT_LOAD)
#undef WARPSIGHT_LOAD
  const bool complete = cuptiGetVersion != nullptr && cuptiSubscribe != nullptr &&
                        cuptiEnableCallback != nullptr && cuptiGetCallbackName != nullptr &&
                        cuptiActivityRegisterCallbacks != nullptr &&
                        cuptiActivityEnable != nullptr && cuptiActivityFlushAll != nullptr &&
                        cuptiActivityGetNextRecord != nullptr;
  return complete && cuptiGetVersion(&version) == CUPTI_SUCCESS;
}

}  // namespace warpsight::agent
