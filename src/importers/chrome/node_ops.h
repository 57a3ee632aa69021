#pragma once

#include <vector>

#include "importers/chrome/row_maker.h"

namespace warpsight::importers::chrome {

// ONNX Runtime and TensorFlow 1 record the nodes of a graph, with the node's name and the kind of
// op as arguments. Sets name, type and scope of ops, and of GPU work that names its op. Does
// nothing to other traces.
void NameNodeOps(std::vector<BlockRows>& blocks);

}  // namespace warpsight::importers::chrome
