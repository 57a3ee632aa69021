#pragma once

#include <string>

#include "model/trace.h"

namespace warpsight {

// The first difference between the rows of two traces, for tests and checks, or an empty string.
// Texts are compared by value: equal traces may number their strings differently. Time 0 and the
// profile's name may differ.
std::string FirstDifference(const Trace& a, const Trace& b);

}  // namespace warpsight
