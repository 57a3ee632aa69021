#pragma once

#include <string>

namespace warpsight {

// The first bytes of a file, at most `most`, decompressed if it is a gzip file; empty if it cannot
// be read.
std::string ReadUnpackedHead(const std::string& path, size_t most);

}  // namespace warpsight
