#pragma once

#include <string_view>

namespace warpsight {

// Whether an op does arithmetic of the kind that Tensor Cores do: matrix products, convolutions,
// attention, recurrent cells, and their backward ops. Independent of number formats: an fp32 matrix
// product is eligible. Accepts names of PyTorch ops and autograd nodes, and of TensorFlow and XLA
// ops. Pure; call it once per distinct name.
bool IsTensorCoreEligible(std::string_view op_name);

}  // namespace warpsight
