#pragma once

#include <string>
#include <string_view>

#include "model/trace.h"

namespace warpsight {

// Shapes of the tensors of a call as DLProf writes them: "<N:1, C:3, H:32, W:32>; <6>".
struct DlprofShapes {
  std::string inputs;
  std::string outputs;  // of conv2d and linear, where they follow from the inputs
};

// Dimensions have letters where `op_type` is conv2d or linear and its tensors have their usual
// ranks; inputs that are not tensors are left out.
DlprofShapes ShapesAsInDlprof(const Trace& trace, std::string_view op_type, SignatureId signature);

}  // namespace warpsight
