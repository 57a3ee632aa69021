#include "importers/capture/graph_ops.h"

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "importers/capture/import_capture.h"
#include "importers/capture/test_capture.h"

namespace warpsight::importers::capture {
namespace {

using ::testing::ElementsAre;
using wire::RangeKind;

constexpr int64_t kThread = TestCapture::kThread;

// "path/op" of each kernel, in order of their starts; "" if no op is known.
std::vector<std::string> OpsOf(const Trace& trace) {
  std::vector<std::string> ops;
  const GpuExtrasTable& extras = trace.tables.gpu_extras;
  for (const GpuExtraId extra : trace.tables.gpu.extra) {
    std::string& op = ops.emplace_back();
    if (!IsSet(extra)) continue;
    const size_t row = Index(extra);
    op = trace.Text(extras.op_path[row]);
    if (!op.empty()) op += '/';
    op += trace.Text(extras.op_name[row]);
  }
  return ops;
}

void Node(TestCapture& file, int64_t time, int64_t node, int64_t cloned_from = 0,
          int64_t thread = kThread) {
  file.Add(wire::GraphNodeRecord{time, thread, 5, node, cloned_from});
}

TEST(GraphOps, WorkHasTheOpThatRanAtItsCapture) {
  TestCapture file;
  file.Range(1000, 2000, "3", RangeKind::kStep);
  file.Range(1010, 1990, "Net", RangeKind::kModule);
  file.Range(1020, 1500, "fc1", RangeKind::kModule);
  file.Op(1100, 1400, "aten::linear");
  file.Op(1150, 1300, "aten::addmm");
  Node(file, 1200, 71);
  file.Op(1600, 1700, "aten::relu");
  Node(file, 1650, 72);
  Node(file, 1950, 73);  // outside all ops
  Node(file, 2100, 81, 71);
  Node(file, 2100, 82, 72);
  Node(file, 2100, 83, 73);
  Node(file, 2200, 91, 81);
  file.Kernel(3000, 3100, "gemm", 9, 81);
  file.Kernel(3200, 3300, "relu", 9, 82);
  file.Kernel(3400, 3500, "other", 9, 83);
  file.Kernel(3600, 3700, "gemm", 9, 91);
  file.Kernel(3800, 3900, "unknown", 9, 99);
  file.Kernel(4000, 4100, "plain", 9);
  file.Add(wire::CopyRecord{4200, 4300, 64, 8, 3, 3, 0, 1, 7, 9, 5, 82});
  const Trace trace = ImportBytes(file.Bytes());
  EXPECT_THAT(OpsOf(trace), ElementsAre("Net/fc1/aten::linear", "Net/aten::relu", "",
                                        "Net/fc1/aten::linear", "", "", "Net/aten::relu"));
  const TraceTables& t = trace.tables;
  EXPECT_FALSE(IsSet(t.gpu.extra[5]));
  EXPECT_EQ(t.gpu_extras.graph[Index(t.gpu.extra[0])], 5);
  EXPECT_EQ(t.gpu_extras.graph_node[Index(t.gpu.extra[0])], 81);
}

TEST(GraphOps, ReusedNumbersReferToTheLatestNodeBeforeTheWork) {
  TestCapture file;
  file.Op(1000, 1100, "first");
  Node(file, 1050, 71);
  Node(file, 1200, 81, 71);
  file.Kernel(1300, 1400, "k", 9, 81);
  file.Op(2000, 2100, "second");
  Node(file, 2050, 71);
  Node(file, 2200, 81, 71);
  file.Kernel(2300, 2400, "k", 9, 81);
  file.Kernel(900, 950, "k", 9, 81);  // before any node existed
  const Trace trace = ImportBytes(file.Bytes());
  EXPECT_THAT(OpsOf(trace), ElementsAre("", "first", "second"));
}

TEST(GraphOps, BackwardOpsHaveThePathOfTheirForwardOp) {
  constexpr int64_t kAutograd = 200;
  TestCapture file;
  file.Add(wire::ThreadRecord{1, kAutograd, file.Text("pt_autograd_0")});
  file.Range(1000, 1500, "Net", RangeKind::kModule);
  file.Op(1100, 1400, "aten::linear", 12);
  Node(file, 1200, 71);
  file.Op(2000, 2500, "autograd::engine::evaluate_function: AddmmBackward0", 12, kAutograd);
  file.Op(2050, 2400, "AddmmBackward0", 12, kAutograd);
  file.Op(2100, 2300, "aten::mm", -1, kAutograd);
  Node(file, 2200, 72, 0, kAutograd);
  Node(file, 2350, 73, 0, kAutograd);  // captured by the backward node itself
  file.Op(3000, 3100, "autograd::engine::evaluate_function: X", 99, kAutograd);
  Node(file, 3050, 74, 0, kAutograd);
  for (int64_t node = 71; node <= 74; ++node) {
    file.Kernel(4000 + 10 * node, 4005 + 10 * node, "k", 9, node);
  }
  const Trace trace = ImportBytes(file.Bytes());
  EXPECT_THAT(OpsOf(trace), ElementsAre("Net/aten::linear", "gradients/Net/aten::mm",
                                        "gradients/Net/AddmmBackward0",
                                        "gradients/autograd::engine::evaluate_function: X/"
                                        "autograd::engine::evaluate_function: X"));
}

TEST(GraphOps, KernelsOfXlaCommandBuffersHaveTheirInstruction) {
  TestCapture file;
  file.Range(1000, 2000, "XlaModule:#prefix=jit(f),hlo_module=jit_f,program_id=3#",
             RangeKind::kPushed, "TSL");
  file.Range(1100, 1200, "Thunk:#name=dot_general,hlo_op=gemm.1#", RangeKind::kPushed, "TSL");
  Node(file, 1150, 71);
  file.Kernel(3000, 3100, "k", 9, 71);
  const Trace trace = ImportBytes(file.Bytes());
  EXPECT_THAT(OpsOf(trace), ElementsAre("jit(f)/dot_general/gemm.1"));
  EXPECT_EQ(trace.Text(trace.tables.gpu_extras.op_type[0]), "gemm");
}

TEST(GraphOps, CyclesOfClonesEnd) {
  TestCapture file;
  Node(file, 1000, 71, 72);
  Node(file, 1000, 72, 71);
  Node(file, 1000, 73, 73);
  file.Kernel(3000, 3100, "k", 9, 71);
  file.Kernel(3200, 3300, "k", 9, 73);
  EXPECT_THAT(OpsOf(ImportBytes(file.Bytes())), ElementsAre("", ""));
}

}  // namespace
}  // namespace warpsight::importers::capture
