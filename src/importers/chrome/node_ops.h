#pragma once

#include <vector>

#include "importers/chrome/row_maker.h"

namespace warpsight::importers::chrome {

// ONNX Runtime and TensorFlow 1 record the nodes of a graph: the arguments hold the node's name and
// the kind of op. Gives ops, and GPU work that names its op, their name, type and scope. Does
// nothing to other traces.
void NameNodeOps(std::vector<BlockRows>& blocks);

}  // namespace warpsight::importers::chrome
