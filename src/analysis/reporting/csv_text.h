#pragma once

#include <string>
#include <string_view>

namespace warpsight {

// A field of a CSV line, or of one with another separator: quoted where RFC 4180 asks for it.
void AppendCsvField(std::string_view text, std::string& out, char separator = ',');
std::string CsvField(std::string_view text);

}  // namespace warpsight
