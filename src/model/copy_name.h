#pragma once

#include <string_view>

#include "model/tables.h"

namespace warpsight {

// What the name that CUPTI's users give a copy says: "Memcpy HtoD (Pageable -> Device)".
CopyDirection CopyDirectionOf(std::string_view name);
HostMemory HostMemoryOf(std::string_view name);

}  // namespace warpsight
