// nvprof databases of other projects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <string>
#include <utility>

#include "analysis/compute_facts.h"
#include "importers/api/importer.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

using ::testing::HasSubstr;

class NvprofTest : public ::testing::Test {
 protected:
  static std::string Path(const std::string& name) {
    return (std::filesystem::path(SharedTraces()) / (name + ".sql.gz")).string();
  }
  void SetUp() override {
    if (!std::filesystem::exists(Path("nvprof_v12_lm"))) {
      GTEST_SKIP() << "the shared traces are missing";
    }
  }
  static Trace Import(const std::string& name) {
    Progress progress;
    auto trace = ImportTraces({Path(name)}, {}, progress);
    EXPECT_TRUE(trace.ok()) << trace.error().message;
    return std::move(*trace);
  }
};

TEST_F(NvprofTest, ReadsEveryRecordOfALanguageModel) {
  const Trace trace = Import("nvprof_v12_lm");
  EXPECT_EQ(CheckIntegrity(trace), "");
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  const auto count = [&](GpuKind kind) {
    return std::count(gpu.kind.begin(), gpu.kind.end(), kind);
  };
  EXPECT_EQ(count(GpuKind::kKernel), 284);
  EXPECT_EQ(count(GpuKind::kCopy), 35);
  EXPECT_EQ(count(GpuKind::kMemset), 12);
  EXPECT_EQ(trace.tables.api.start.size(), 3439u);
  EXPECT_EQ(trace.tables.syncs.start.size(), 41u);
  EXPECT_EQ(trace.Text(trace.tables.devices.name[0]), "Tesla V100-SXM2-16GB");
  EXPECT_EQ(trace.tables.devices.sms[0], 80);
  EXPECT_EQ(trace.tables.import_log.code.size(), 0u);
  const HostRangesTable& host = trace.tables.host;
  size_t embeddings = 0;
  for (size_t i = 0; i < host.name.size(); ++i) {
    EXPECT_THAT(std::string(trace.Text(host.name[i])), ::testing::Not(HasSubstr(", seq = ")));
    embeddings += host.kind[i] == HostKind::kOp && trace.Text(host.name[i]) == "embedding" ? 1 : 0;
  }
  EXPECT_GT(embeddings, 0u);
}

TEST_F(NvprofTest, EveryKernelHasItsOp) {
  Trace trace = Import("nvprof_v12_lm");
  Progress progress;
  auto facts = ComputeFacts(trace, {}, progress);
  ASSERT_TRUE(facts.ok());
  const auto without = std::count_if(facts->gpu.op.begin(), facts->gpu.op.end(),
                                     [](HostId op) { return !IsSet(op); });
  EXPECT_EQ(without, 0);
}

TEST_F(NvprofTest, ADatabaseWithoutKernelsSaysSo) {
  const Trace trace = Import("nvprof_v12_no_kernels");
  EXPECT_EQ(CheckIntegrity(trace), "");
  EXPECT_EQ(trace.tables.gpu.start.size(), 0u);
}

}  // namespace
}  // namespace warpsight::testing
