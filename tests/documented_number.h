#pragma once

#include <cstddef>
#include <string>

namespace warpsight::testing {

// The number that a page of docs/ states: the first group of the pattern in the page.
size_t DocumentedNumber(const std::string& page, const std::string& pattern);

}  // namespace warpsight::testing
