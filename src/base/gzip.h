#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpsight {

enum class GzipLevel : uint8_t { kFast, kSmall };

// `bytes` as a gzip file of its own. Such files one after the other are again a gzip file, so that
// blocks of one can be compressed side by side.
std::string Gzip(std::string_view bytes, GzipLevel level);

// The content of a gzip file that this program holds.
std::string Gunzip(std::string_view bytes);

}  // namespace warpsight
