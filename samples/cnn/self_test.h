#pragma once

#include <string>

namespace cnn {

// Compares the GPU variants that are built, or the named one, with the loops on the CPU for every
// odd shape, and prints a line for each variant. Returns whether all agree.
bool SelfTest(const std::string& only);

}  // namespace cnn
