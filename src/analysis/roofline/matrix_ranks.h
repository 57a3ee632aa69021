#pragma once

#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace warpsight {

// By kernel_names row, how certain it is that a kernel computes matrix products: 2 if it uses
// Tensor Cores, 1 if its family suggests it, otherwise 0.
std::vector<uint8_t> MatrixRanks(ProfileView profile);

}  // namespace warpsight
