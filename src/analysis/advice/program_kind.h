#pragma once

#include <cstdint>

#include "model/profile.h"

namespace warpsight {

enum class Framework : uint8_t {
  kUnknown,  // CUDA or HIP, without a framework that the trace identifies
  kPytorch,
  kJax,
  kTensorflow,
};

// The kind of the recorded program as far as the trace shows it, used to select suitable advice.
struct ProgramKind {
  Framework framework = Framework::kUnknown;
  bool trains = false;  // there is a backward pass or an optimizer
  bool serves = false;  // the steps are those of an inference server
};

ProgramKind KindOfProgram(ProfileView profile);

}  // namespace warpsight
