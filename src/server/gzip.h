#pragma once

#include <string>
#include <string_view>

namespace warpsight::server {

// `bytes` as a gzip file. Fast rather than small: it is done for each answer.
std::string Gzip(std::string_view bytes);

// The content of a gzip file that this program holds.
std::string Gunzip(std::string_view bytes);

}  // namespace warpsight::server
