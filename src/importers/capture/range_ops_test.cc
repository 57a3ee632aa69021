#include "importers/capture/range_ops.h"

#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "importers/capture/import_capture.h"
#include "importers/capture/test_capture.h"

namespace warpsight::importers::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using wire::RangeKind;

std::vector<std::string> Ops(const Trace& trace) {
  std::vector<std::string> ops;
  for (size_t h = 0; h < trace.tables.host.start.size(); ++h) {
    if (trace.tables.host.kind[h] == HostKind::kOp) {
      ops.emplace_back(trace.Text(trace.tables.host.name[h]));
    }
  }
  return ops;
}

// A call that starts a kernel 1000 ns later.
void Launch(TestCapture& file, int64_t time, int64_t id, int64_t thread = TestCapture::kThread) {
  file.Call(time, time + 5, "cudaLaunchKernel", id, thread);
  file.Kernel(time + 1000, time + 1100, "kernel", id);
}

TEST(RangeOps, InnermostRangesThatStartWorkAreOps) {
  TestCapture file;
  file.Range(1000, 2000, "repeat 1", RangeKind::kPushed);
  file.Range(1100, 1300, "conv1", RangeKind::kPushed);
  Launch(file, 1200, 1);
  file.Range(1400, 1500, "check", RangeKind::kPushed);
  file.Call(1410, 1420, "cudaStreamSynchronize", 7);  // starts nothing
  file.Range(1600, 1900, "conv2", RangeKind::kPushed);
  Launch(file, 1700, 2);
  Launch(file, 1950, 3);  // by "repeat 1" itself, which contains other ranges
  file.Range(1650, 1950, "elsewhere", RangeKind::kPushed, "", TestCapture::kThread + 1);
  EXPECT_THAT(Ops(ImportBytes(file.Bytes())), ElementsAre("conv1", "conv2"));
}

TEST(RangeOps, RangesStayAnnotationsIfThereAreOps) {
  TestCapture file;
  file.Range(1000, 2000, "forward", RangeKind::kPushed);
  Launch(file, 1100, 1);
  file.Op(1500, 1600, "aten::relu");
  EXPECT_THAT(Ops(ImportBytes(file.Bytes())), ElementsAre("aten::relu"));
}

TEST(RangeOps, RangesWithoutGpuWorkStayAnnotations) {
  TestCapture file;
  file.Range(1000, 2000, "load", RangeKind::kPushed);
  file.Call(1100, 1200, "cudaMalloc", 3);
  EXPECT_THAT(Ops(ImportBytes(file.Bytes())), IsEmpty());
}

}  // namespace
}  // namespace warpsight::importers::capture
