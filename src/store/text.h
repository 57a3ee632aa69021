#pragma once

#include <string>
#include <string_view>

namespace warpsight::store {

// What went wrong according to a message of DuckDB about the file `path`: the system's reason where
// there is one, and without the file's name, which the caller gives as the user wrote it.
std::string ReasonOf(std::string_view message, std::string_view path);

}  // namespace warpsight::store
