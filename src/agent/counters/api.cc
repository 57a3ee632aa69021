#include "agent/counters/api.h"

#include <type_traits>

namespace warpsight::agent {

std::string CounterApi::Load(const Library& library) {
  std::string missing;
  const auto load = [&](auto*& function, const char* name) {
    function =
        library.Find<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(name);
    if (function == nullptr && missing.empty()) missing = name;
  };
#define WARPSIGHT_LOAD(function) load(function, #function);
  WARPSIGHT_COUNTER_FUNCTIONS(WARPSIGHT_LOAD)
#undef WARPSIGHT_LOAD
  if (cuptiGetVersion != nullptr) cuptiGetVersion(&version);
  return missing;
}

}  // namespace warpsight::agent
