#pragma once

#include <string>
#include <string_view>

namespace warpsight {

// The readable form of a mangled name ("_Z..."); other names are returned unchanged.
std::string Demangled(std::string_view name);

}  // namespace warpsight
