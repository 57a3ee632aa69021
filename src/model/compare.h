#pragma once

#include <string>

#include "model/trace.h"

namespace warpsight {

// The first place where the rows of two traces differ, for tests and checks, or an empty string.
// Texts are compared as such: equal traces may number their strings differently. Time 0 and the
// profile's name may differ.
std::string FirstDifference(const Trace& a, const Trace& b);

}  // namespace warpsight
