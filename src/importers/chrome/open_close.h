#pragma once

#include <vector>

#include "importers/chrome/row_maker.h"

namespace warpsight::importers::chrome {

// Joins the B/E and b/e halves of all blocks into slices, appended to the last block's rows. Halves
// without a partner are logged.
void PairOpenClose(std::vector<BlockRows>& blocks);

}  // namespace warpsight::importers::chrome
