#include "analysis/kernels/kernel_names.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/facts/trust.h"

namespace warpsight {
namespace {

using ::testing::HasSubstr;

class KernelNamesTest : public ::testing::Test {
 protected:
  KernelNamesTest() {
    StreamsTable& t = trace_.tables.streams;
    StreamsTable::Columns([&](ColumnInfo, auto member) { (t.*member).emplace_back(); });
    DevicesTable& d = trace_.tables.devices;
    DevicesTable::Columns([&](ColumnInfo, auto member) { (d.*member).emplace_back(); });
  }

  void Kernel(std::string_view name, DurationNs duration) {
    GpuActivitiesTable& t = trace_.tables.gpu;
    GpuActivitiesTable::Columns([&](ColumnInfo, auto member) { (t.*member).emplace_back(); });
    t.name.back() = trace_.strings.Intern(name);
    t.duration.back() = duration;
    t.extra.back() = kNone<GpuExtraId>;
    facts_.gpu.api.push_back(kNone<ApiId>);
    facts_.gpu.op.push_back(kNone<HostId>);
  }
  void Counted(std::string_view name, int64_t tensor_instructions) {
    KernelCountersTable& t = trace_.tables.kernel_counters;
    KernelCountersTable::Columns([&](ColumnInfo, auto member) { (t.*member).emplace_back(); });
    t.name.back() = trace_.strings.Intern(name);
    t.tensor_instructions.back() = tensor_instructions;
  }
  size_t Row(std::string_view name) { return facts_.KernelRow(trace_.strings.Intern(name)); }
  TensorCores Use(std::string_view name) { return facts_.kernel_names.tensor_cores[Row(name)]; }
  std::string_view Precision(std::string_view name) {
    return trace_.Text(facts_.kernel_names.precision[Row(name)]);
  }
  // The count and the meaning of a code in the trust table.
  std::pair<int64_t, std::string> Trust(std::string_view code) {
    const TrustTable& t = facts_.trust;
    for (size_t i = 0; i < t.code.size(); ++i) {
      if (trace_.Text(t.code[i]) == code)
        return {t.count[i], std::string(trace_.Text(t.meaning[i]))};
    }
    return {kMissing, ""};
  }

  Trace trace_;
  FactTables facts_;
};

constexpr std::string_view kTf32 =
    "sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x16_tensor16x8x8_kernel";
constexpr std::string_view kSimt = "cutlass_80_simt_sgemm_128x128_8x4_nn_align1";
constexpr std::string_view kTriton = "triton_tem_fused_mm_0";
constexpr std::string_view kNvjet = "nvjet_sm90_tst_64x64_64x16_4x1_v_bz_TNT";

TEST_F(KernelNamesTest, CountersOverrideNames) {
  for (const std::string_view name : {kTf32, kSimt, kTriton, kNvjet}) Kernel(name, 10);
  Counted(kTf32, 0);
  Counted(kSimt, 0);
  Counted(kSimt, 64);  // in one of two launches
  Counted(kTriton, 8);
  Counted(kNvjet, kMissing);  // a chip that does not count them
  Counted("never on the timeline", 1);
  ClassifyKernels(trace_, facts_);
  EXPECT_EQ(Use(kTf32), TensorCores::kNo);
  EXPECT_EQ(Precision(kTf32), "fp32");
  EXPECT_EQ(Use(kSimt), TensorCores::kYes);
  EXPECT_EQ(Precision(kSimt), "tf32");
  EXPECT_EQ(Use(kTriton), TensorCores::kYes);
  EXPECT_EQ(Use(kNvjet), TensorCores::kYes) << "by its name";
  const KernelNamesTable& t = facts_.kernel_names;
  EXPECT_EQ(t.tensor_cores_by_name[Row(kTf32)], TensorCores::kYes);
  EXPECT_EQ(t.tensor_cores_by_name[Row(kTriton)], TensorCores::kUnknown);
  EXPECT_EQ(t.measured_launches[Row(kSimt)], 2);
  EXPECT_EQ(t.measured_launches[Row(kNvjet)], 0);
  EXPECT_EQ(trace_.Text(t.reason[Row(kSimt)]),
            "hardware counters: matrix instructions in 1 of 2 measured launches");
}

TEST_F(KernelNamesTest, TrustCountsMeasuredAndContradictedNames) {
  Kernel(kTf32, 30);
  Kernel(kTriton, 20);
  Kernel(kSimt, 10);
  Kernel(kNvjet, 40);
  for (const std::string_view name : {kTf32, kTriton}) Counted(name, 1);
  Counted(kSimt, 5);
  ClassifyKernels(trace_, facts_);
  CountTrust(trace_, facts_);
  EXPECT_EQ(Trust("kernel_time_measured_tensor_cores_ns").first, 60);
  const auto [refuted, meaning] = Trust("kernel_time_refuted_tensor_cores_ns");
  EXPECT_EQ(refuted, 10) << "a name that says nothing is not wrong";
  EXPECT_THAT(meaning, HasSubstr("mostly cutlass_80_simt_sgemm"));
}

TEST_F(KernelNamesTest, WithoutCountersTrustDoesNotMentionThem) {
  Kernel(kNvjet, 40);
  ClassifyKernels(trace_, facts_);
  CountTrust(trace_, facts_);
  EXPECT_EQ(Trust("kernel_time_measured_tensor_cores_ns").first, kMissing);
}

}  // namespace
}  // namespace warpsight
