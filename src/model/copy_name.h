#pragma once

#include <optional>
#include <string_view>

#include "model/tables.h"

namespace warpsight {

// Parses the name that users of CUPTI give a copy: "Memcpy HtoD (Pageable -> Device)".
CopyDirection CopyDirectionOf(std::string_view name);
HostMemory HostMemoryOf(std::string_view name);

// Parses the HIP runtime's name for its own work, which ROCm profilers list among the kernels:
// "CopyDeviceToDevice", "FillBuffer". None for any other name.
std::optional<GpuKind> RuntimeWorkKind(std::string_view name);

}  // namespace warpsight
