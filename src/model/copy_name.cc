#include "model/copy_name.h"

#include "base/text.h"

namespace warpsight {

CopyDirection CopyDirectionOf(std::string_view name) {
  if (Contains(name, "HtoD") || Contains(name, "HostToDevice")) return CopyDirection::kHostToDevice;
  if (Contains(name, "DtoH") || Contains(name, "DeviceToHost")) return CopyDirection::kDeviceToHost;
  if (Contains(name, "DtoD") || Contains(name, "DeviceToDevice")) {
    return CopyDirection::kDeviceToDevice;
  }
  if (Contains(name, "PtoP")) return CopyDirection::kPeerToPeer;
  if (Contains(name, "HtoH") || Contains(name, "HostToHost")) return CopyDirection::kHostToHost;
  return CopyDirection::kUnknown;
}

HostMemory HostMemoryOf(std::string_view name) {
  if (Contains(name, "Pageable")) return HostMemory::kPageable;
  if (Contains(name, "Pinned")) return HostMemory::kPinned;
  const CopyDirection direction = CopyDirectionOf(name);
  const bool touches_host = direction == CopyDirection::kHostToDevice ||
                            direction == CopyDirection::kDeviceToHost ||
                            direction == CopyDirection::kHostToHost;
  return touches_host ? HostMemory::kUnknown : HostMemory::kNone;
}

}  // namespace warpsight
