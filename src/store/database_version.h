#pragma once

#include <string>

namespace warpsight {

// The version of the DuckDB that is loaded, such as "1.4.4".
std::string DatabaseVersion();

}  // namespace warpsight
