#pragma once

#include <string_view>

namespace warpsight {

// CUPTI names runtime functions with the version in which they changed: "cudaLaunchKernel_v7000".
std::string_view WithoutVersion(std::string_view function);

}  // namespace warpsight
