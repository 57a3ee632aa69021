#pragma once

#include <cstdint>

#include "agent/core/windows.h"
#include "agent/core/writer.h"
#include "agent/cuda_abi/cupti_activity.h"

namespace warpsight::agent {

// How many records became what.
struct TranslateCounts {
  uint64_t kernels = 0;        // all, also those that are not wanted
  uint64_t graph_kernels = 0;  // those of CUDA graphs among them
  uint64_t untimed = 0;        // kernels that never got a time
};

// Translates one CUPTI record into one of ours. Records of other kinds are skipped.
void Translate(const CUpti_Activity& record, const Windows& windows, Writer& writer,
               TranslateCounts& counts);

}  // namespace warpsight::agent
