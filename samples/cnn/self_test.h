#pragma once

#include <string>

namespace cnn {

// Compares the GPU variants that are built, or the one named, with the loops on the CPU for every
// odd shape, and prints a line for each variant. Whether all agree.
bool SelfTest(const std::string& only);

}  // namespace cnn
