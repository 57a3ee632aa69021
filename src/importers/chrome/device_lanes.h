#pragma once

#include <vector>

#include "importers/chrome/row_maker.h"

namespace warpsight::importers::chrome {

// Some writers (JAX, TensorFlow) have no categories: a process named /device:GPU:0 is a GPU and its
// threads are streams, and API calls are known by their correlation_id. Moves such slices from the
// host table to where they belong. Does nothing to traces without such lanes.
void MoveDeviceLanes(std::vector<BlockRows>& blocks);

}  // namespace warpsight::importers::chrome
