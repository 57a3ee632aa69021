#pragma once

#include <string>

namespace warpsight {

// Whether a file found in a folder would be read as a trace, judging by its first bytes and its
// name.
bool LooksLikeTrace(const std::string& path);

}  // namespace warpsight
