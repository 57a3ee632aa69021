#pragma once

#include <string_view>

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// GPU work may name its op itself: XLA and TensorFlow record the HLO or TensorFlow op with every
// kernel. Returns the row of gpu_extras with the name, or none.
GpuExtraId NamingExtra(const Trace& trace, size_t gpu);

// Whether GPU work counts under the op that it names. If the op that launched it on the CPU has the
// same name, it counts under that op, which also has CPU time.
bool CountsUnderNamedOp(const Trace& trace, const FactTables& facts, size_t gpu);

// Whether GPU work counts under any op.
bool HasOp(const Trace& trace, const FactTables& facts, size_t gpu);

// Whether a scope belongs to the backward pass: "jit(f)/transpose(jvp(mlp))/dot_general" (JAX),
// "gradient_tape/model/dense/MatMul", "gradients/dense/MatMul" (TensorFlow).
bool IsBackwardScope(std::string_view path);

}  // namespace warpsight
