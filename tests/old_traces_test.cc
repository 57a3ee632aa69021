// Data that older versions of PyTorch recorded differently.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "analysis/facts/copy_rate.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

Profile ImportText(const std::string& events) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("old.pt.trace.json");
  std::ofstream(path) << R"({"schemaVersion": 1, "traceEvents": [)" << events << "]}";
  return ImportForTest({path});
}

// ROCm before 5.4: a launch and its kernel share an external id; ops have other ids.
TEST(OldRocm, ExternalIdsLinkLaunchesAndWork) {
  const Profile profile = ImportText(R"json(
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 100, "dur": 50,
     "args": {"External id": 8}},
    {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 200, "dur": 50,
     "args": {"External id": 7}},
    {"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 1, "tid": 1, "ts": 110,
     "dur": 5, "args": {"External id": 7}},
    {"ph": "X", "cat": "cuda_runtime", "name": "hipMemcpyAsync", "pid": 1, "tid": 1, "ts": 210,
     "dur": 5, "args": {"External id": 8}},
    {"ph": "X", "cat": "kernel", "name": "Cijk_Ailk_Bljk_SB_MT64x64x8", "pid": 0, "tid": 0,
     "ts": 300, "dur": 10, "args": {"External id": 7, "device": 0, "stream": 0}},
    {"ph": "X", "cat": "kernel", "name": "CopyDeviceToDevice", "pid": 0, "tid": 0, "ts": 320,
     "dur": 10, "args": {"External id": 8, "device": 0, "stream": 0}})json");
  const TraceTables& t = profile.trace.tables;
  ASSERT_EQ(t.gpu.start.size(), 2U);
  EXPECT_EQ(t.gpu.kind, (Column<GpuKind>{GpuKind::kKernel, GpuKind::kCopy}));
  EXPECT_EQ(t.gpu.copy_direction[1], CopyDirection::kDeviceToDevice);
  const auto op_of = [&](size_t gpu) {
    return profile.trace.Text(t.host.name[Index(profile.facts.gpu.op[gpu])]);
  };
  for (size_t g = 0; g < 2; ++g) {
    ASSERT_TRUE(IsSet(profile.facts.gpu.api[g]));
    EXPECT_EQ(t.api.external_id[Index(profile.facts.gpu.api[g])], t.gpu.external_id[g]);
  }
  EXPECT_EQ(op_of(0), "aten::mm");
  EXPECT_EQ(op_of(1), "aten::add");
}

// With correlation ids, the external id is that of the op, and says nothing about the call.
TEST(OldRocm, CorrelationIdsTakePrecedence) {
  const Profile profile = ImportText(R"json(
    {"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 1, "tid": 1, "ts": 110,
     "dur": 5, "args": {"External id": 7, "correlation": 1}},
    {"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 1, "tid": 1, "ts": 120,
     "dur": 5, "args": {"External id": 7, "correlation": 2}},
    {"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": 0, "ts": 300, "dur": 10,
     "args": {"External id": 7, "correlation": 1, "device": 0, "stream": 0}},
    {"ph": "X", "cat": "kernel", "name": "b", "pid": 0, "tid": 0, "ts": 320, "dur": 10,
     "args": {"External id": 7, "device": 0, "stream": 0}})json");
  EXPECT_EQ(profile.facts.gpu.api[0], MakeId<ApiId>(0));
  EXPECT_FALSE(IsSet(profile.facts.gpu.api[1]));
}

// 12,881,920 bytes in 13 us would be 991 GB/s.
TEST(WholeMicroseconds, BandwidthIsTheRecordedOne) {
  const Profile profile = ImportText(R"json(
    {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoD (Device -> Device)", "pid": 3, "tid": 7,
     "ts": 1661203463031665, "dur": 13, "args": {
  "device" : 3, "context" : 1, "stream" : 7, "correlation" : 1870160, "bytes" : 12881920,
      "memory bandwidth (GB/s)" : 925.4252873563219}},
    {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoD (Device -> Device)", "pid": 3, "tid": 7,
     "ts": 1661203463031700, "dur": 10.5, "args": {"device": 3, "context": 1, "stream": 7,
     "bytes": 10500}})json");
  EXPECT_DOUBLE_EQ(CopyRate(profile.trace, MakeId<GpuId>(0)), 925.4252873563219e9);
  EXPECT_DOUBLE_EQ(CopyRate(profile.trace, MakeId<GpuId>(1)), 1e9);
}

// Computed from whole microseconds, the fastest would be 990.9 GB/s.
TEST(WholeMicroseconds, RealCopiesHaveTheRecordedOne) {
  const std::string path = SharedTraces() + "/hta_a100_8rank_rank3.json.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const Profile profile = ImportForTest({path});
  const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
  double fastest = 0;
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    if (gpu.kind[g] != GpuKind::kCopy) continue;
    fastest = std::max(fastest, CopyRate(profile.trace, MakeId<GpuId>(g)));
  }
  EXPECT_DOUBLE_EQ(fastest, 934.0139211136891e9);
}

}  // namespace
}  // namespace warpsight::testing
