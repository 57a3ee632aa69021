#include "importers/api/xla_texts.h"

#include <array>

#include <gtest/gtest.h>

namespace warpsight::xla {
namespace {

std::string Shown(const OpName& op) {
  return std::string(op.path) + "|" + std::string(op.name) + "|" + std::string(op.type);
}

std::string TensorFlowOp(std::string_view text) {
  const auto op = ParseTensorFlowOp(text);
  return op ? Shown(*op) : "none";
}

TEST(XlaTexts, TensorFlowOps) {
  EXPECT_EQ(TensorFlowOp("model/dense/MatMul_1:MatMul"), "model/dense|MatMul_1|MatMul");
  EXPECT_EQ(TensorFlowOp("truediv_2:Reciprocal"), "|truediv_2|Reciprocal");
  EXPECT_EQ(TensorFlowOp("n/_13:_Recv"), "n|_13|_Recv");
  EXPECT_EQ(TensorFlowOp("Iterator::Prefetch::Generator"), "none");
  EXPECT_EQ(TensorFlowOp("jit_step:XLA GPU module"), "none");
  EXPECT_EQ(TensorFlowOp("XlaModule:"), "none");
  EXPECT_EQ(TensorFlowOp("a/:Add"), "none");
}

TEST(XlaTexts, OpsOfGpuWork) {
  EXPECT_EQ(Shown(NamedOp({"fusion.44", "jit_step", "", "XlaModule:"})),
            "jit_step|fusion.44|fusion");
  EXPECT_EQ(Shown(NamedOp({"custom-call.1", "jit_dot", "jit(dot)/dot_general", "XlaModule:"})),
            "jit(dot)/dot_general|custom-call.1|custom-call");
  EXPECT_EQ(Shown(NamedOp({"dot.3", "m", "", "model/dense/MatMul:MatMul"})),
            "model/dense/MatMul|dot.3|dot");
  EXPECT_EQ(Shown(NamedOp({"wrapped_add", "m", "", ""})), "m|wrapped_add|wrapped_add");
  EXPECT_EQ(Shown(NamedOp({"", "", "", "model/MatMul:MatMul"})), "model|MatMul|MatMul");
  EXPECT_EQ(Shown(NamedOp({"", "", "", "MakeTensorFromProto"})),
            "|MakeTensorFromProto|MakeTensorFromProto");
  EXPECT_EQ(Shown(NamedOp({"", "", "", "XlaModule:"})), "||");
}

TEST(XlaTexts, ApiFunctions) {
  EXPECT_EQ(ApiFunctionOf("cuGraphLaunch (CudaGraph:16)", ""), "cuGraphLaunch");
  EXPECT_EQ(ApiFunctionOf("hipModuleLaunchKernel", ""), "hipModuleLaunchKernel");
  EXPECT_EQ(ApiFunctionOf("void Eigen::internal::EigenMetaKernel<int>(int)", ""), "cuLaunchKernel");
  EXPECT_EQ(ApiFunctionOf("MemcpyH2D", "size:4 async:1"), "cuMemcpyHtoDAsync");
  EXPECT_TRUE(IsApiFunction("cudaStreamSynchronize"));
  EXPECT_TRUE(IsApiFunction("cuLaunchHostFunc"));
  EXPECT_FALSE(IsApiFunction("cuDNN"));
  EXPECT_FALSE(IsApiFunction("custom-call"));
  EXPECT_FALSE(IsApiFunction("hippo"));
}

TEST(XlaTexts, KernelDetails) {
  const auto nvidia = ReadKernelDetails(
      "regs:154 static_shared:8 dynamic_shared:98328 grid:512,1,1 block:128,1,1 occ_pct:12.5");
  EXPECT_EQ(nvidia.registers, 154);
  EXPECT_EQ(nvidia.shared_bytes, 98336);
  EXPECT_EQ(nvidia.grid, (std::array<int64_t, 3>{512, 1, 1}));
  EXPECT_EQ(nvidia.occupancy_percent, 12.5);
  const auto amd =
      ReadKernelDetails(" grid:8,32,1 block:256,1,1 private_mem:0 group_mem:12800 occ_pct:0");
  EXPECT_EQ(amd.shared_bytes, 12800);
  EXPECT_EQ(amd.registers, kMissing);
  EXPECT_NE(amd.occupancy_percent, 0);  // unknown
}

}  // namespace
}  // namespace warpsight::xla
