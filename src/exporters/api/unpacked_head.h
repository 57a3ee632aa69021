#pragma once

#include <string>

namespace warpsight {

// The first bytes of a file, at most `most`, unpacked where it is compressed with gzip; none where
// it cannot be read.
std::string ReadUnpackedHead(const std::string& path, size_t most);

}  // namespace warpsight
