#pragma once

#include <string>
#include <string_view>

namespace warpsight {

// `bytes` as a gzip file of its own. Such files one after the other are again a gzip file, so that
// blocks can be compressed side by side.
std::string GzipBlock(std::string_view bytes);

}  // namespace warpsight
