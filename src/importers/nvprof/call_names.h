#pragma once

#include <cstdint>
#include <string_view>

namespace warpsight::importers::nvprof {

// The function behind a callback number, or "" for numbers that are not known.
std::string_view RuntimeCallName(int64_t number);
std::string_view DriverCallName(int64_t number);

}  // namespace warpsight::importers::nvprof
