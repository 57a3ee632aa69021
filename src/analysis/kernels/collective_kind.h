#pragma once

#include <string_view>

#include "model/kernel_kind.h"

namespace warpsight {

// The kind of collective that a name contains: a name recorded by PyTorch ("_allgather_base",
// "allreduce_coalesced"), that of a range around the call ("nccl:all_to_all"), or that of a kernel
// ("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL").
CollectiveKind CollectiveNamed(std::string_view name);

}  // namespace warpsight
