#include "cli/capture/driver_library.h"

#include <dlfcn.h>

namespace warpsight {

bool HasNvidiaDriver() {
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return false;
  dlclose(library);
  return true;
}

}  // namespace warpsight
