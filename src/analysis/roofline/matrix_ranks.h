#pragma once

#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace warpsight {

// How certain it is that a kernel does matrix products, by kernel_names row: 2 with Tensor Cores, 1
// by its family, otherwise 0.
std::vector<uint8_t> MatrixRanks(ProfileView profile);

}  // namespace warpsight
