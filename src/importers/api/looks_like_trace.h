#pragma once

#include <string>

namespace warpsight {

// Whether a file found in a folder would be taken for a trace, by how it begins or is named.
bool LooksLikeTrace(const std::string& path);

}  // namespace warpsight
