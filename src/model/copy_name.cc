#include "model/copy_name.h"

#include "base/text.h"

namespace warpsight {

CopyDirection CopyDirectionOf(std::string_view name) {
  const auto says = [&](std::string_view word, std::string_view short_word,
                        std::string_view digit_word) {
    return Contains(name, word) || Contains(name, short_word) || Contains(name, digit_word);
  };
  if (says("HostToDevice", "HtoD", "H2D")) return CopyDirection::kHostToDevice;
  if (says("DeviceToHost", "DtoH", "D2H")) return CopyDirection::kDeviceToHost;
  if (says("DeviceToDevice", "DtoD", "D2D")) return CopyDirection::kDeviceToDevice;
  if (says("PeerToPeer", "PtoP", "P2P")) return CopyDirection::kPeerToPeer;
  if (says("HostToHost", "HtoH", "H2H")) return CopyDirection::kHostToHost;
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

std::optional<GpuKind> RuntimeWorkKind(std::string_view name) {
  for (const std::string_view copy :
       {"CopyDeviceToDevice", "CopyHostToDevice", "CopyDeviceToHost", "CopyHostToHost",
        "CopyDeviceToDevice2D", "CopyHostToDevice2D", "CopyDeviceToHost2D", "MemcpyD2D",
        "MemcpyH2D", "MemcpyD2H", "MemcpyP2P", "MemcpyH2H"}) {
    if (name == copy) return GpuKind::kCopy;
  }
  if (name == "FillBuffer") return GpuKind::kMemset;
  return std::nullopt;
}

}  // namespace warpsight
