#pragma once

#include <string_view>

#include "model/kernel_kind.h"

namespace warpsight {

// The kind of collective in a name: one recorded by PyTorch ("_allgather_base",
// "allreduce_coalesced"), that of a range around the call ("nccl:all_to_all"), or a kernel's
// ("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL").
CollectiveKind CollectiveNamed(std::string_view name);

}  // namespace warpsight
