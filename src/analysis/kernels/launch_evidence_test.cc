#include "analysis/kernels/launch_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "analysis/kernels/kernel_names.h"

namespace warpsight {
namespace {

using ::testing::HasSubstr;

// One kernel of each name, on one GPU.
class LaunchEvidenceTest : public ::testing::Test {
 protected:
  LaunchEvidenceTest() {
    AddRow(trace_.tables.sources);
    DevicesTable& devices = AddRow(trace_.tables.devices);
    devices.name.back() = trace_.strings.Intern("NVIDIA H200");
    devices.compute_major.back() = 9;
    AddRow(trace_.tables.streams);
    AddRow(trace_.tables.threads);
  }

  template <typename Table>
  static Table& AddRow(Table& table) {
    Table::Columns([&](ColumnInfo, auto member) { (table.*member).emplace_back(); });
    return table;
  }

  // The kernel was launched by an op with inputs of these types and shapes.
  void LaunchedBy(std::string_view kernel, std::string_view types, std::string_view dims) {
    SignaturesTable& signatures = AddRow(trace_.tables.signatures);
    signatures.types.back() = trace_.strings.Intern(types);
    signatures.dims.back() = trace_.strings.Intern(dims);
    trace_.ReadInputs();
    HostRangesTable& host = AddRow(trace_.tables.host);
    host.signature.back() = MakeId<SignatureId>(signatures.types.size() - 1);
    Add(kernel, MakeId<HostId>(host.start.size() - 1), kNone<GpuExtraId>);
  }
  // XLA's program states these arguments for the kernel.
  void Stated(std::string_view kernel, std::string_view args) {
    GpuExtrasTable& extras = AddRow(trace_.tables.gpu_extras);
    extras.args.back() = trace_.strings.Intern(args);
    extras.collective.back() = kNone<CollectiveId>;
    Add(kernel, kNone<HostId>, MakeId<GpuExtraId>(extras.args.size() - 1));
  }
  void Add(std::string_view kernel, HostId op = kNone<HostId>,
           GpuExtraId extra = kNone<GpuExtraId>) {
    GpuActivitiesTable& gpu = AddRow(trace_.tables.gpu);
    gpu.name.back() = trace_.strings.Intern(kernel);
    gpu.extra.back() = extra;
    facts_.gpu.api.push_back(kNone<ApiId>);
    facts_.gpu.op.push_back(op);
  }

  TensorCores Use(std::string_view kernel) {
    return facts_.TensorCoresOf(trace_.strings.Intern(kernel));
  }
  Precision PrecisionFor(std::string_view kernel) {
    return facts_.KindOf(trace_.strings.Intern(kernel)).precision;
  }
  std::string_view Reason(std::string_view kernel) {
    return trace_.Text(facts_.kernel_names.reason[facts_.KernelRow(trace_.strings.Intern(kernel))]);
  }

  Trace trace_;
  FactTables facts_;
};

TEST_F(LaunchEvidenceTest, FormatsOfTheOpThatLaunchedIt) {
  LaunchedBy("triton_tem_fused_mm_0", R"(["c10::BFloat16","c10::BFloat16"])", "[[64,64],[64,64]]");
  LaunchedBy("triton_tem_fused_mm_1", R"(["float","float"])", "[[64,64],[64,64]]");
  // A factor per channel does not make the operands wide, but a matrix does.
  LaunchedBy("fused_moe_kernel", R"(["c10::Half","float","c10::Half"])",
             "[[64,64],[64],[8,64,64]]");
  LaunchedBy("matmul_kernel", R"(["c10::Half","float"])", "[[64,64],[64,64]]");
  Add("triton_tem_fused_mm_2");
  ClassifyKernels(trace_, facts_);
  EXPECT_EQ(Use("triton_tem_fused_mm_0"), TensorCores::kYes);
  EXPECT_EQ(PrecisionFor("triton_tem_fused_mm_0"), Precision::kBf16);
  EXPECT_THAT(Reason("triton_tem_fused_mm_0"),
              HasSubstr("the op that launched it multiplies bf16"));
  EXPECT_EQ(Use("triton_tem_fused_mm_1"), TensorCores::kUnknown) << "tf32 or fp32";
  EXPECT_EQ(Use("fused_moe_kernel"), TensorCores::kYes);
  EXPECT_EQ(Use("matmul_kernel"), TensorCores::kUnknown);
  EXPECT_EQ(Use("triton_tem_fused_mm_2"), TensorCores::kUnknown);
  const KernelNamesTable& t = facts_.kernel_names;
  EXPECT_EQ(t.tensor_cores_by_name[facts_.KernelRow(trace_.strings.Intern("fused_moe_kernel"))],
            TensorCores::kUnknown)
      << "the name says nothing";
}

TEST_F(LaunchEvidenceTest, OtherKernelsOfTheOpStayUnknown) {
  LaunchedBy("my_product(float*)", R"(["c10::Half","c10::Half"])", "[[64,64],[64,64]]");
  ClassifyKernels(trace_, facts_);
  EXPECT_EQ(Use("my_product(float*)"), TensorCores::kUnknown);
}

TEST_F(LaunchEvidenceTest, UsesTheFormatsInXlasProgram) {
  Stated("gemm_fusion_dot_3", R"({"flops":10,"matrix_flops":8,"matrix_type":"bf16"})");
  Stated("gemm_fusion_dot_4", R"({"flops":10,"matrix_flops":8,"matrix_type":"fp32"})");
  Stated("fusion_7", R"({"flops":10,"bytes_accessed":4})");
  Stated("fusion_8", R"({"flops":10,"matrix_flops":8,"matrix_type":"bf16"})");
  Stated("fusion_9", "{}");
  ClassifyKernels(trace_, facts_);
  EXPECT_EQ(Use("gemm_fusion_dot_3"), TensorCores::kYes);
  EXPECT_EQ(PrecisionFor("gemm_fusion_dot_3"), Precision::kBf16);
  EXPECT_EQ(Use("gemm_fusion_dot_4"), TensorCores::kUnknown);
  EXPECT_EQ(Use("fusion_7"), TensorCores::kNo);
  EXPECT_THAT(Reason("fusion_7"), HasSubstr("contains no matrix product"));
  EXPECT_EQ(Use("fusion_8"), TensorCores::kUnknown) << "not every fusion is compiled by Triton";
  EXPECT_EQ(Use("fusion_9"), TensorCores::kUnknown);
}

TEST_F(LaunchEvidenceTest, OlderAndUnknownGpusStayUnknown) {
  trace_.tables.devices.compute_major.back() = 7;
  LaunchedBy("matmul_kernel", R"(["c10::Half","c10::Half"])", "[[64,64],[64,64]]");
  ClassifyKernels(trace_, facts_);
  EXPECT_EQ(Use("matmul_kernel"), TensorCores::kUnknown);
}

TEST_F(LaunchEvidenceTest, AmdsMatrixCoresSupportEveryFormat) {
  trace_.tables.devices.name.back() = trace_.strings.Intern("");
  trace_.tables.devices.compute_major.back() = kMissing;
  Add("kernel_unified_attention_2d");
  ClassifyKernels(trace_, facts_);
  EXPECT_EQ(Use("kernel_unified_attention_2d"), TensorCores::kUnknown);
  facts_.kernel_names = {};
  // This kernel was built for matrix instructions.
  Add("Cijk_Alik_Bljk_BBS_BH_MT32x32x256_MI16x16x1_SN");
  ClassifyKernels(trace_, facts_);
  EXPECT_EQ(Use("kernel_unified_attention_2d"), TensorCores::kYes);
  EXPECT_THAT(Reason("kernel_unified_attention_2d"), HasSubstr("every number format"));
}

TEST_F(LaunchEvidenceTest, CollectivesAreRecorded) {
  GpuExtrasTable& extras = AddRow(trace_.tables.gpu_extras);
  extras.collective.back() = MakeId<CollectiveId>(0);
  AddRow(trace_.tables.collectives);
  Add("exchange", kNone<HostId>, MakeId<GpuExtraId>(0));
  Add("other");
  ClassifyKernels(trace_, facts_);
  EXPECT_EQ(facts_.KindOf(trace_.strings.Intern("exchange")).family, KernelFamily::kCollective);
  EXPECT_EQ(Use("exchange"), TensorCores::kNo);
  EXPECT_EQ(facts_.KindOf(trace_.strings.Intern("other")).family, KernelFamily::kUnknown);
}

}  // namespace
}  // namespace warpsight
