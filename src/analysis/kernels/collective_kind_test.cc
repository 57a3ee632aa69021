#include "analysis/kernels/collective_kind.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

TEST(CollectiveKindTest, KindsOfAllSpellings) {
  for (const char* name : {"allreduce", "allreduce_coalesced", "all_reduce",
                           "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"}) {
    EXPECT_EQ(CollectiveNamed(name), CollectiveKind::kAllReduce) << name;
  }
  EXPECT_EQ(CollectiveNamed("_allgather_base"), CollectiveKind::kAllGather);
  EXPECT_EQ(CollectiveNamed("reduce_scatter_tensor_coalesced"), CollectiveKind::kReduceScatter);
  EXPECT_EQ(CollectiveNamed("_reduce_oop"), CollectiveKind::kReduce);
  EXPECT_EQ(CollectiveNamed("all_to_allv"), CollectiveKind::kAllToAll);
  EXPECT_EQ(CollectiveNamed("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)"),
            CollectiveKind::kSendReceive);
  EXPECT_EQ(CollectiveNamed("barrier"), CollectiveKind::kBarrier);
  EXPECT_EQ(CollectiveNamed("vllm::cross_device_reduce_2stage"), CollectiveKind::kAllReduce);
  EXPECT_EQ(CollectiveNamed("deep_ep::intranode::dispatch"), CollectiveKind::kAllToAll);
  EXPECT_EQ(CollectiveNamed("wait"), CollectiveKind::kUnknown);
}

}  // namespace
}  // namespace warpsight
