#pragma once

#include <string>
#include <string_view>

namespace warpsight {

// A field of a CSV line: quoted where RFC 4180 asks for it.
void AppendCsvField(std::string_view text, std::string& out);
std::string CsvField(std::string_view text);

}  // namespace warpsight
