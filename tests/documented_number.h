#pragma once

#include <cstddef>
#include <string>

namespace warpsight::testing {

// The number that a page of docs/ claims: what the first group of the pattern matches there.
size_t DocumentedNumber(const std::string& page, const std::string& pattern);

}  // namespace warpsight::testing
