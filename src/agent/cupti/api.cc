#include "agent/cupti/api.h"

#include <type_traits>

namespace warpsight::agent {

std::string CuptiApi::Load(const Library& library) {
  const auto load = [&](auto*& function, const char* name) {
    function =
        library.Find<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(name);
  };
  std::string missing;
  const auto load_required = [&](auto*& function, const char* name) {
    load(function, name);
    if (function == nullptr && missing.empty()) missing = name;
  };
#define WARPSIGHT_LOAD(function) load(function, #function);
#define WARPSIGHT_LOAD_REQUIRED(function) load_required(function, #function);
  WARPSIGHT_CUPTI_REQUIRED(WARPSIGHT_LOAD_REQUIRED)
  WARPSIGHT_CUPTI_OPTIONAL(WARPSIGHT_LOAD)
#undef WARPSIGHT_LOAD_REQUIRED
#undef WARPSIGHT_LOAD
  if (cuptiGetVersion != nullptr) cuptiGetVersion(&version);
  return missing;
}

}  // namespace warpsight::agent
