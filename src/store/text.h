#pragma once

#include <string>
#include <string_view>

namespace warpsight::store {

// The reason in DuckDB's message about the file `path`: the system's reason if there is one,
// without the name of the file, which the caller adds as the user wrote it.
std::string ReasonOf(std::string_view message, std::string_view path);

}  // namespace warpsight::store
