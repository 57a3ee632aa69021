#include "analysis/aggregation/op_table.h"

#include <map>
#include <span>
#include <variant>

#include "analysis/aggregation/kernel_table.h"
#include "analysis/testing/hand_made_profile.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpsight {
namespace {

RangeSummary Iterations(int64_t first, int64_t last) {
  RangeSummary range;
  range.first = first;
  range.last = last;
  range.total = last + 1;
  return range;
}

// A forward and a backward pass in iterations 0 and 1; reports are about iteration 1.
class OpTableTest : public testing::Test {
 protected:
  OpTableTest() : hand_made_(2) {
    for (const TimeNs t : {0, 1000}) {
      const HostId linear = hand_made_.Op("aten::linear", t + 100, 100);
      hand_made_.Path(linear, "Model/fc1");
      const HostId addmm = hand_made_.Op("aten::addmm", t + 110, 60, Direction::kForward, linear);
      const HostId relu = hand_made_.Op("aten::relu", t + 210, 40);
      hand_made_.Path(relu, "Model");
      const HostId mm = hand_made_.Op("aten::mm", t + 300, 50, Direction::kBackward);
      const ApiId launch1 = hand_made_.Api("cudaLaunchKernel", t + 120, 10, addmm);
      const ApiId launch2 = hand_made_.Api("cudaLaunchKernel", t + 125, 15, addmm);
      const ApiId launch3 = hand_made_.Api("cudaLaunchKernel", t + 220, 10, relu);
      const ApiId launch4 = hand_made_.Api("cudaLaunchKernel", t + 310, 10, mm);
      const ApiId copy = hand_made_.Api("cudaMemcpyAsync", t + 400, 30);
      const ApiId graph = hand_made_.Api("cudaGraphLaunch", t + 500, 20);
      hand_made_.Kernel("split", t + 200, 50, launch1);
      hand_made_.Kernel("gemm", t + 230, 100, launch2, TensorCores::kYes);
      hand_made_.Kernel("relu_kernel", t + 350, 20, launch3);
      hand_made_.Kernel("gemm", t + 380, 80, launch4, TensorCores::kYes);
      hand_made_.Copy("Memcpy HtoD", t + 470, 10, copy);
      hand_made_.Kernel("node1", t + 520, 10, graph);
      hand_made_.Kernel("node2", t + 540, 10, graph);
      hand_made_.Kernel("stray", t + 560, 5);
    }
  }

  static const Op* Find(const OpTable& table, std::string_view name) {
    for (const Op& op : table.ops()) {
      if (op.name == name) return &op;
    }
    return nullptr;
  }

  HandMadeProfile hand_made_;
};

TEST_F(OpTableTest, EveryActivityOfTheRangeCountsUnderOneOp) {
  const RangeSummary range = Iterations(1, 1);
  ProfileView profile = hand_made_.Finish(range);
  const OpTable table({profile, range});
  DurationNs in_range = 0;
  const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
  for (size_t i = 0; i < gpu.start.size(); ++i) {
    EXPECT_EQ(table.RowOf(MakeId<GpuId>(i)) == OpTable::kOutside, gpu.start[i] < 1000) << i;
    if (gpu.start[i] >= 1000) in_range += gpu.duration[i];
  }
  // The two kernels of linear overlap by 20.
  EXPECT_EQ(SumOps(table).all.gpu, in_range - 20);
  EXPECT_EQ(SumKernels(profile.facts).all.gpu, in_range);
}

TEST_F(OpTableTest, TimesOfACall) {
  ProfileView profile = hand_made_.Finish();
  const RangeSummary range = Iterations(0, 1);
  const OpTable table({profile, range});
  const Op* linear = Find(table, "Model/fc1/aten::linear");
  ASSERT_NE(linear, nullptr);
  EXPECT_EQ(linear->calls(), 2);
  EXPECT_EQ(linear->times.cpu.total, 200);
  EXPECT_EQ(linear->times.gpu.total, 2 * 130);
  EXPECT_EQ(linear->times.gpu.Average(), 130);
  EXPECT_EQ(linear->times.cpu_overhead.min, 100 - 20);  // calls 120..130 and 125..140
  EXPECT_EQ(linear->times.gpu_idle.max, 0);
  EXPECT_TRUE(linear->tensor_core_eligible);
  EXPECT_TRUE(linear->uses_tensor_cores);
  EXPECT_EQ(linear->type, "linear");
  EXPECT_EQ(linear->id, "LINEAR_1");
}

TEST_F(OpTableTest, IdleIsWithinACallOnly) {
  ProfileView profile = hand_made_.Finish();
  const RangeSummary range = Iterations(0, 1);
  const OpTable table({profile, range});
  const Op* graph = Find(table, "unassociated_cudaGraphLaunch");
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->calls(), 2);
  EXPECT_EQ(graph->times.gpu.total, 40);
  EXPECT_EQ(graph->times.gpu_idle.total, 20);
}

TEST_F(OpTableTest, WorkThatNamesItsOpCountsUnderIt) {
  HandMadeProfile made(1);
  const HostId host = made.Op("MatMul_1", 100, 50);
  const ApiId launch = made.Api("cuLaunchKernel", 110, 10, host);
  const ApiId other = made.Api("cuLaunchKernel", 170, 20);
  const ApiId graph = made.Api("cuGraphLaunch", 200, 30);
  made.NamedOp(made.Kernel("gemm", 300, 10, launch), "", "MatMul_1", "MatMul");
  made.NamedOp(made.Kernel("fusion_7", 320, 10, other), "jit(f)/add", "fusion.7", "fusion");
  made.NamedOp(made.Kernel("fusion_7", 340, 10, graph), "jit(f)/add", "fusion.7", "fusion");
  made.NamedOp(made.Kernel("dot_1", 360, 10, graph), "jit(f)/transpose(jvp())/dot", "gemm.1",
               "gemm");
  ProfileView profile = made.Finish();
  const RangeSummary range = Iterations(0, 0);
  const OpTable table({profile, range});
  ASSERT_EQ(table.ops().size(), 3u);
  // The op that launched it is the op that it names.
  const Op* matmul = Find(table, "MatMul_1");
  ASSERT_NE(matmul, nullptr);
  EXPECT_EQ(matmul->times.cpu.total, 50);
  EXPECT_EQ(matmul->times.gpu.total, 10);
  const Op* fusion = Find(table, "jit(f)/add/fusion.7");
  ASSERT_NE(fusion, nullptr);
  EXPECT_TRUE(fusion->associated());
  EXPECT_EQ(fusion->type, "fusion");
  EXPECT_EQ(fusion->calls(), 2);
  EXPECT_EQ(fusion->times.cpu.total, 20);  // the graph's launch is no single op's
  const Op* gemm = Find(table, "jit(f)/transpose(jvp())/dot/gemm.1");
  ASSERT_NE(gemm, nullptr);
  EXPECT_EQ(gemm->direction, Direction::kBackward);
  EXPECT_TRUE(gemm->tensor_core_eligible);
}

TEST_F(OpTableTest, WorkWithoutAnOpIsItsOwnOp) {
  ProfileView profile = hand_made_.Finish();
  const RangeSummary range = Iterations(1, 1);
  const OpTable table({profile, range});
  const Op* copy = Find(table, "unassociated_cudaMemcpyAsync");
  ASSERT_NE(copy, nullptr);
  EXPECT_FALSE(copy->associated());
  EXPECT_EQ(copy->times.cpu.total, 30);
  EXPECT_EQ(copy->times.cpu_overhead.total, 0);
  const Op* stray = Find(table, "unassociated_kernel");
  ASSERT_NE(stray, nullptr);
  EXPECT_EQ(stray->times.gpu.total, 5);
  EXPECT_EQ(stray->times.cpu.total, 0);
}

TEST_F(OpTableTest, DirectionAndPathMakeDifferentOps) {
  hand_made_.Op("aten::mm", 1700, 10, Direction::kForward);
  ProfileView profile = hand_made_.Finish();
  const RangeSummary range = Iterations(1, 1);
  const OpTable table({profile, range});
  std::vector<std::string> ids;
  for (const Op& op : table.ops()) {
    if (op.type == "mm") ids.push_back(op.id);
  }
  EXPECT_THAT(ids, testing::ElementsAre("MM_1", "MM_2"));
}

TEST_F(OpTableTest, OpsAroundEligibleOnesAreEligible) {
  const HostId custom = hand_made_.Op("my::block", 1800, 100);
  const HostId mm = hand_made_.Op("aten::mm", 1810, 20, Direction::kForward, custom);
  const ApiId launch = hand_made_.Api("cudaLaunchKernel", 1815, 5, mm);
  const GpuId kernel = hand_made_.Kernel("sgemm", 1850, 20, launch);
  ProfileView profile = hand_made_.Finish();
  const RangeSummary range = Iterations(1, 1);
  const OpTable table({profile, range});
  const Op* op = Find(table, "my::block");
  ASSERT_NE(op, nullptr);
  EXPECT_TRUE(op->tensor_core_eligible);
  EXPECT_FALSE(op->uses_tensor_cores);
  EXPECT_TRUE(table.InEligibleOp(kernel));
}

TEST_F(OpTableTest, PartsSumToAll) {
  const RangeSummary range = Iterations(0, 1);
  ProfileView profile = hand_made_.Finish(range);
  const OpTable table({profile, range});
  const OpTotals ops = SumOps(table);
  EXPECT_EQ(ops.all.gpu, ops.using_tensor_cores.gpu + ops.eligible_only.gpu + ops.other.gpu);
  EXPECT_EQ(ops.all.count, static_cast<int64_t>(table.ops().size()));
  const KernelTotals kernels = SumKernels(profile.facts);
  EXPECT_EQ(kernels.all.count, 16);
  EXPECT_EQ(kernels.all.count,
            kernels.tensor_cores.count + kernels.memory.count + kernels.other.count);
  // A graph launch counts once, though it started two kernels.
  EXPECT_EQ(kernels.all.api, 2 * (10 + 15 + 10 + 10 + 30 + 20));
  // gemm 100 and 80 of split 50, gemm 100, gemm 80.
  EXPECT_DOUBLE_EQ(kernels.Efficiency(), 180.0 / 230.0);
}

// Keeps the numbers of a report's columns added up.
class SumSink : public RowSink {
 public:
  explicit SumSink(const Report& report) : report_(report), sums_(report.columns.size()) {}
  void Row(std::span<const Cell> cells) override {
    ASSERT_EQ(cells.size(), sums_.size());
    for (size_t i = 0; i < cells.size(); ++i) {
      if (const auto* value = std::get_if<int64_t>(&cells[i])) sums_[i] += *value;
    }
    ++rows_;
  }
  void Note(std::string_view) override {}

  int64_t Sum(std::string_view column) const {
    for (size_t i = 0; i < sums_.size(); ++i) {
      if (report_.columns[i].name == column) return sums_[i];
    }
    ADD_FAILURE() << report_.id << " has no column " << column;
    return -1;
  }
  int rows() const { return rows_; }

 private:
  const Report& report_;
  std::vector<int64_t> sums_;
  int rows_ = 0;
};

TEST_F(OpTableTest, ReportsAgree) {
  ProfileView profile = hand_made_.Finish();
  const RangeSummary range = Iterations(1, 1);
  const ReportInput input{profile, range};
  std::map<std::string_view, SumSink> sums;
  const std::vector<Report> reports = AllReports();
  for (const Report& report : reports) {
    for (const std::string_view id : {"detail", "op_type", "kernel", "iteration", "tensor_core"}) {
      if (report.id != id) continue;
      report.compute(input, sums.try_emplace(id, report).first->second);
    }
  }
  ASSERT_EQ(sums.size(), 5U);
  for (const std::string_view column : {"Total CPU Time (ns)", "Total GPU Time (ns)",
                                        "Total CPU Overhead (ns)", "Total GPU Idle (ns)"}) {
    EXPECT_EQ(sums.at("detail").Sum(column), sums.at("op_type").Sum(column)) << column;
  }
  EXPECT_EQ(sums.at("detail").Sum("No. Calls"), sums.at("op_type").Sum("# Calls"));
  EXPECT_EQ(sums.at("kernel").Sum("Total GPU Time (ns)"),
            sums.at("iteration").Sum("GPU Duration (ns)"));
  EXPECT_EQ(sums.at("iteration").rows(), 8);
  EXPECT_EQ(sums.at("tensor_core").rows(), 2);  // linear and mm
}

TEST(ReadableTypes, NamesTypesOnce) {
  EXPECT_EQ(ReadableTypes(R"(["c10::BFloat16", "float", "c10::BFloat16", "Scalar", ""])"),
            "bfloat16, float32");
  EXPECT_EQ(ReadableTypes(R"(["c10::Float8_e4m3fn", "long int"])"), "float8_e4m3fn, int64");
  EXPECT_EQ(ReadableTypes(""), "");
  EXPECT_EQ(ReadableTypes(R"(["float)"), "");
}

TEST(Tally, DoesNotRoundItsAverage) {
  Tally tally;
  EXPECT_EQ(tally.Average(), 0);
  tally.Add(1);
  tally.Add(2);
  EXPECT_EQ(tally.Average(), 1.5);
  EXPECT_EQ(tally.min, 1);
  EXPECT_EQ(tally.max, 2);
}

}  // namespace
}  // namespace warpsight
