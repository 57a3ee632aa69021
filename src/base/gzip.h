#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpsight {

enum class GzipLevel : uint8_t { kFast, kSmall };

// `bytes` as a complete gzip file. Several such files in a row are again a gzip file, so blocks of
// one can be compressed in parallel.
std::string Gzip(std::string_view bytes, GzipLevel level);

// The content of a gzip file that is in memory. If it is damaged, the content up to the damage,
// perhaps "".
std::string Gunzip(std::string_view bytes);

}  // namespace warpsight
