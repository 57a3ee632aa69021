#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warpsight {

// The libraries that read traces, and their versions.
std::vector<std::pair<std::string, std::string>> LibraryVersions();

}  // namespace warpsight
