#pragma once

#include <vector>

#include "importers/chrome/row_maker.h"

namespace warpsight::importers::chrome {

// Some writers (JAX, TensorFlow) have no categories: a process named /device:GPU:0 is a GPU, its
// threads are streams, and API calls have a correlation_id. Moves such slices from the host table
// to the right tables. Does nothing to traces without such lanes.
void MoveDeviceLanes(std::vector<BlockRows>& blocks);

}  // namespace warpsight::importers::chrome
