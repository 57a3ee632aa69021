#pragma once

#include <string>
#include <string_view>

#include "model/trace.h"

namespace warpsight {

// Shapes of the tensors of a call as DLProf writes them: "<N:1, C:3, H:32, W:32>; <6>".
struct DlprofShapes {
  std::string inputs;
  std::string outputs;  // for conv2d and linear, if they follow from the inputs
};

// Dimensions have letters if `op_type` is conv2d or linear and its tensors have their usual ranks.
// Inputs that are not tensors are omitted.
DlprofShapes ShapesAsInDlprof(const Trace& trace, std::string_view op_type, SignatureId signature);

}  // namespace warpsight
