#pragma once

#include <string>
#include <string_view>

namespace warpsight {

// The readable form of a name that a compiler mangled ("_Z..."); other names as they are.
std::string Demangled(std::string_view name);

}  // namespace warpsight
