#pragma once

#include <cstdint>
#include <string_view>

namespace warpsight::importers::nvprof {

// The function with this callback number, or "" if the number is unknown.
std::string_view RuntimeCallName(int64_t number);
std::string_view DriverCallName(int64_t number);

}  // namespace warpsight::importers::nvprof
