#pragma once

#include <optional>
#include <string_view>

#include "model/tables.h"

namespace warpsight {

// What the name that CUPTI's users give a copy says: "Memcpy HtoD (Pageable -> Device)".
CopyDirection CopyDirectionOf(std::string_view name);
HostMemory HostMemoryOf(std::string_view name);

// What the HIP runtime calls its own work, which profilers of ROCm list among the kernels:
// "CopyDeviceToDevice", "FillBuffer". None for any other name.
std::optional<GpuKind> RuntimeWorkKind(std::string_view name);

}  // namespace warpsight
