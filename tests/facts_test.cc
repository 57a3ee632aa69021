// Facts on small traces with known answers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analysis/accounting/range_summary.h"
#include "chrome_text.h"
#include "import_once.h"
#include "profiles/open_profile.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

Profile Import(const ChromeText& text, const IterationOptions& options = {}) {
  const TemporaryFolder folder;
  std::ofstream(folder.Path("trace.json")) << text.Text();
  Progress progress;
  auto profile = ImportProfile({folder.Path("trace.json")}, "", options, progress);
  if (!profile.ok()) {
    ADD_FAILURE() << profile.error().message;
    return {};
  }
  return std::move(*profile);
}

// One launch and its kernel, 10 us later.
void AddWork(ChromeText& text, double start, int correlation, const std::string& kernel = "k") {
  text.Slice("cpu_op", "aten::op", start, 20);
  text.Call("cudaLaunchKernel", start + 5, 5, correlation);
  text.Kernel(kernel, start + 15, 50, correlation);
}

TEST(Iterations, NumberedRanges) {
  ChromeText text;
  for (int i = 0; i < 4; ++i) {
    text.Slice("user_annotation", fmt::format("iteration {}", i + 10), i * 1000, 900);
    text.Slice("user_annotation", fmt::format("inner {}", i), i * 1000 + 100, 50);
    AddWork(text, i * 1000 + 200, i);
  }
  const RangeSummary range = SummarizeRange(Import(text));
  EXPECT_EQ(range.source, IterationSource::kMarkers);
  EXPECT_EQ(range.total, 4);
  EXPECT_EQ(range.explanation, "4 iterations, marked by iteration ");
}

TEST(Iterations, StepNumbersInArguments) {
  ChromeText text;
  for (int i = 0; i < 3; ++i) {
    text.Slice("user_annotation", "train", i * 1000, 900, fmt::format("\"step_num\": \"{}\"", i));
    AddWork(text, i * 1000 + 200, i);
  }
  const RangeSummary range = SummarizeRange(Import(text));
  EXPECT_EQ(range.source, IterationSource::kMarkers);
  EXPECT_EQ(range.total, 3);
}

TEST(Iterations, OptimizerSteps) {
  ChromeText text;
  for (int i = 0; i < 3; ++i) {
    AddWork(text, i * 1000 + 200, i);
    text.Slice("user_annotation", "Optimizer.step#Adam.step", i * 1000 + 800, 100);
  }
  text.Slice("cpu_op", "aten::tail", 5000, 10);
  const Profile profile = Import(text);
  const RangeSummary range = SummarizeRange(profile);
  EXPECT_EQ(range.source, IterationSource::kOptimizer);
  EXPECT_EQ(range.total, 3);
  EXPECT_EQ(profile.facts.iterations.end[2] - profile.facts.iterations.start[2], 1'000'000);
}

TEST(Iterations, DataLoader) {
  ChromeText text;
  for (int i = 0; i < 3; ++i) {
    text.Slice("user_annotation", "enumerate(DataLoader)#_Iter.__next__", i * 1000, 100);
    AddWork(text, i * 1000 + 200, i);
  }
  const RangeSummary range = SummarizeRange(Import(text));
  EXPECT_EQ(range.source, IterationSource::kDataLoader);
  EXPECT_EQ(range.total, 3);
  EXPECT_EQ(range.reader_time, 300'000);
}

TEST(Iterations, KeyOpWinsOverMarkers) {
  ChromeText text;
  for (int i = 0; i < 4; ++i) {
    text.Slice("user_annotation", fmt::format("ProfilerStep#{}", i), i * 1000, 1000);
    AddWork(text, i * 1000 + 200, 2 * i);
    text.Slice("cpu_op", "my::key", i * 1000 + 400, 10);
    AddWork(text, i * 1000 + 500, 2 * i + 1);
    text.Slice("cpu_op", "my::key", i * 1000 + 900, 10);
  }
  IterationOptions options;
  options.key_op = "my::key";
  const RangeSummary range = SummarizeRange(Import(text, options));
  EXPECT_EQ(range.source, IterationSource::kKeyOp);
  EXPECT_EQ(range.total, 8);
}

TEST(Iterations, KernelPeriodSeesThroughRepeatedLayers) {
  ChromeText text;
  int id = 0;
  for (int i = 0; i < 5; ++i) {
    AddWork(text, id * 100, id, "embedding"), ++id;
    for (int layer = 0; layer < 12; ++layer) {
      for (const char* kernel : {"gemm", "softmax", "gemm", "norm"}) {
        AddWork(text, id * 100, id, kernel), ++id;
      }
    }
    AddWork(text, id * 100, id, "head"), ++id;
  }
  const RangeSummary range = SummarizeRange(Import(text));
  EXPECT_EQ(range.source, IterationSource::kKernelPeriod);
  EXPECT_EQ(range.total, 5);
  EXPECT_EQ(range.average_iteration, range.wall / 5);
}

// A recording from the start of a program, which does other things before its steps.
TEST(Iterations, CallsWithTheSameContent) {
  ChromeText text;
  int id = 0;
  const auto call = [&](double start, const std::string& first) {
    text.Slice("user_annotation", "jit_step", start, 700);
    for (const std::string& kernel : {first, std::string("layer"), std::string("layer")}) {
      AddWork(text, start + 100 * (1 + id % 3), id, kernel), ++id;
    }
  };
  for (int i = 0; i < 9; ++i) AddWork(text, i * 100, i, "tried" + std::to_string(i)), ++id;
  call(2000, "first");
  for (int i = 1; i < 6; ++i) call(2000 + i * 1000, "embed");
  AddWork(text, 8500, id, "tail");
  const Profile profile = Import(text);
  const RangeSummary range = SummarizeRange(profile);
  EXPECT_EQ(range.source, IterationSource::kRepeatedCalls);
  EXPECT_EQ(range.explanation, "6 iterations, each beginning with jit_step");
  const IterationsTable& iterations = profile.facts.iterations;
  EXPECT_EQ(iterations.start[1] - iterations.start[0], 1'000'000);
  EXPECT_EQ(iterations.end[0] - iterations.start[0], 1'000'000);
  EXPECT_EQ(iterations.end[5] - iterations.start[5], 1'000'000) << "as long as the others";
}

// Layers of a model that runs once are not iterations, and neither are calls that differ.
TEST(Iterations, LayersAndDifferentCallsAreNotIterations) {
  for (const bool once : {true, false}) {
    ChromeText text;
    for (int i = 0; i < 20; ++i) AddWork(text, i * 100, i, "tried" + std::to_string(i));
    if (once) text.Slice("user_annotation", "model", 2900, 6000);
    for (int i = 0; i < 12; ++i) {
      text.Slice("user_annotation", "layer", 3000 + i * 400, 300);
      AddWork(text, 3050 + i * 400, 20 + i, once ? "gemm" : "gemm" + std::to_string(i));
    }
    EXPECT_EQ(SummarizeRange(Import(text)).source, IterationSource::kNone);
  }
}

TEST(Iterations, NothingRepeats) {
  ChromeText text;
  for (int i = 0; i < 8; ++i) AddWork(text, i * 100, i, "kernel" + std::string(1, 'a' + i));
  const RangeSummary range = SummarizeRange(Import(text));
  EXPECT_EQ(range.source, IterationSource::kNone);
  EXPECT_EQ(range.total, 1);
}

TEST(Iterations, LeadingOutliersAreWarmUp) {
  ChromeText text;
  const double lengths[] = {9000, 3000, 1000, 1010, 990, 1005};
  double at = 0;
  for (int i = 0; i < 6; ++i) {
    text.Slice("user_annotation", fmt::format("ProfilerStep#{}", i), at, lengths[i]);
    AddWork(text, at + 100, i);
    at += lengths[i];
  }
  const RangeSummary range = SummarizeRange(Import(text));
  EXPECT_EQ(range.first, 2);
  EXPECT_EQ(range.last, 5);
  EXPECT_EQ(range.average_iteration, (1000 + 1010 + 990 + 1005) * 1000 / 4);
}

TEST(Iterations, WorkBelongsToTheIterationThatLaunchedIt) {
  ChromeText text;
  text.Slice("user_annotation", "ProfilerStep#0", 0, 100);
  text.Slice("user_annotation", "ProfilerStep#1", 100, 100);
  text.Call("cudaLaunchKernel", 50, 5, 1).Kernel("late", 150, 100, 1);
  const Profile profile = Import(text);
  EXPECT_EQ(Index(profile.facts.gpu.iteration[0]), 0U);
  EXPECT_EQ(profile.facts.iterations.gpu_end[0], 250'000);
}

// Two kernels with 1000 us between them, the second launched at 1080 us.
ChromeText TwoKernels() {
  ChromeText text;
  text.Slice("user_annotation", "ProfilerStep#0", 0, 1200);
  text.Call("cudaLaunchKernel", 10, 10, 1).Kernel("a", 30, 70, 1);
  text.Call("cudaLaunchKernel", 1080, 10, 2).Kernel("b", 1100, 50, 2);
  return text;
}

TEST(IdleCauses, WaitingForDataWhereTheLoaderCoversIt) {
  ChromeText text = TwoKernels();
  text.Slice("user_annotation", "enumerate(DataLoader)#_Iter.__next__", 120, 900);
  const RangeSummary range = SummarizeRange(Import(text));
  EXPECT_EQ(range.Of(IdleCause::kData), 900'000);
  EXPECT_EQ(range.Of(IdleCause::kHostWork), 20'000 + 20'000 + 70'000);
  EXPECT_EQ(range.Of(IdleCause::kLaunchLatency), 10'000 + 10'000);
  EXPECT_EQ(range.Of(IdleCause::kUnknown), 50'000) << "nothing happens at the end of the step";
  EXPECT_EQ(range.verdict, TimeGroup::kIdleData);
  EXPECT_EQ(Headline(range.verdict), "Waiting for data");
}

TEST(IdleCauses, HostWorkBeforeTheLaunch) {
  ChromeText text = TwoKernels();
  text.Slice("cpu_op", "aten::slow", 110, 960);
  const RangeSummary range = SummarizeRange(Import(text));
  EXPECT_EQ(range.Of(IdleCause::kHostWork), 990'000 + 20'000);
  EXPECT_EQ(range.Of(IdleCause::kUnknown), 50'000);
  EXPECT_EQ(range.verdict, TimeGroup::kIdleHostWork);
  EXPECT_EQ(VerdictId(range.verdict), "cpu-bound");
}

TEST(IdleCauses, AllocationIsCalledAllocation) {
  ChromeText text = TwoKernels();
  text.Call("cudaMalloc", 110, 960, 3);
  const RangeSummary range = SummarizeRange(Import(text));
  EXPECT_EQ(range.Of(IdleCause::kAllocation), 960'000);
  EXPECT_EQ(range.Of(IdleCause::kHostWork), 20'000 + 10'000 + 20'000);
  EXPECT_EQ(range.verdict, TimeGroup::kIdleAllocation);
}

TEST(IdleCauses, SynchronizationCountsForAsLongAsItBlocked) {
  ChromeText text = TwoKernels();
  text.Call("cudaStreamSynchronize", 25, 80, 3);  // blocks 80 us, until the kernel's end
  text.Slice("cpu_op", "aten::slow", 110, 960);
  const RangeSummary range = SummarizeRange(Import(text));
  EXPECT_EQ(range.Of(IdleCause::kSync), 80'000);
  EXPECT_EQ(range.Of(IdleCause::kHostWork), 910'000 + 20'000);
}

TEST(IdleCauses, BlockingCopyIsASynchronization) {
  ChromeText text;
  text.Slice("user_annotation", "ProfilerStep#0", 0, 1200);
  text.Slice("cpu_op", "aten::item", 5, 100);
  text.Call("cudaMemcpyAsync", 10, 95, 1).Copy("Memcpy DtoH (Device -> Pageable)", 30, 70, 1);
  text.Call("cudaLaunchKernel", 1080, 10, 2).Kernel("b", 1100, 50, 2);
  EXPECT_EQ(SummarizeRange(Import(text)).Of(IdleCause::kSync), 95'000);
}

// A kernel that was launched at 100 us but starts at 1100 us.
ChromeText HeldBack(std::string_view kernel) {
  ChromeText text;
  text.Slice("user_annotation", "ProfilerStep#0", 0, 1200);
  text.Call("cudaLaunchKernel", 10, 10, 1).Kernel("a", 30, 70, 1);
  text.Call("cudaLaunchKernel", 95, 5, 2).Kernel(std::string(kernel), 1100, 50, 2);
  return text;
}

TEST(IdleCauses, LaunchedAfterAStreamWaitIsADependency) {
  ChromeText text = HeldBack("b");
  text.Call("cudaStreamWaitEvent", 90, 2, 3);
  const RangeSummary range = SummarizeRange(Import(text));
  EXPECT_EQ(range.Of(IdleCause::kDependency), 1'000'000);
  EXPECT_EQ(range.Of(IdleCause::kOtherRank), 0) << "there is no collective";
  EXPECT_EQ(Headline(range.verdict), "Dependency");
}

TEST(IdleCauses, AWaitBeforeEarlierWorkOfTheStreamDoesNotCount) {
  ChromeText text = HeldBack("b");
  text.Call("cudaStreamWaitEvent", 5, 2, 3);
  const RangeSummary range = SummarizeRange(Import(text));
  EXPECT_EQ(range.Of(IdleCause::kDependency), 0);
  EXPECT_EQ(range.Of(IdleCause::kUnknown), 1'000'000 + 50'000);
}

TEST(IdleCauses, LaunchedLongAgoForNoKnownReasonIsUnknown) {
  const RangeSummary range = SummarizeRange(Import(HeldBack("b")));
  EXPECT_EQ(range.Of(IdleCause::kUnknown), 1'000'000 + 50'000);
  EXPECT_EQ(range.Of(IdleCause::kLaunchLatency), 10'000);
  EXPECT_EQ(range.verdict, TimeGroup::kIdleUnknown);
  EXPECT_NE(range.verdict_reason.find("record stream waits"), std::string::npos);
}

TEST(IdleCauses, ACollectiveThatDoesNotStartWaitsForAnotherRank) {
  const RangeSummary range = SummarizeRange(
      Import(HeldBack("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)")));
  EXPECT_EQ(range.Of(IdleCause::kOtherRank), 1'000'000);
  EXPECT_EQ(Headline(range.verdict), "Waiting for another rank");
}

TEST(Correlation, ResetIdsTakeTheLatestCallBefore) {
  ChromeText text;
  text.Slice("cpu_op", "aten::first", 0, 20)
      .Call("cudaLaunchKernel", 5, 5, 1)
      .Kernel("a", 15, 5, 1);
  text.Slice("cpu_op", "aten::second", 100, 20).Call("cudaLaunchKernel", 105, 5, 1);
  text.Kernel("b", 115, 5, 1);
  const Profile profile = Import(text);
  const auto op_name = [&](size_t g) {
    return profile.trace.Text(profile.trace.tables.host.name[Index(profile.facts.gpu.op[g])]);
  };
  EXPECT_EQ(op_name(0), "aten::first");
  EXPECT_EQ(op_name(1), "aten::second");
}

TEST(Correlation, WithoutALaunchTheExternalIdDecides) {
  ChromeText text;
  text.Slice("cpu_op", "aten::op", 0, 20, "\"External id\": 42");
  text.Slice("kernel", "k", 30, 5, "\"device\": 0, \"stream\": 7, \"External id\": 42");
  const Profile profile = Import(text);
  EXPECT_EQ(Index(profile.facts.gpu.op[0]), 0U);
}

TEST(Nesting, WrappersAndDirections) {
  ChromeText text;
  text.Slice("cpu_op", "aten::linear", 0, 50, "\"Sequence number\": 7");
  text.Slice("cpu_op", "aten::addmm", 5, 40, "\"Sequence number\": 7");
  text.Slice("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", 100, 50,
             "\"Sequence number\": 7", 2);
  text.Slice("cpu_op", "AddmmBackward0", 105, 40, "\"Sequence number\": 7", 2);
  text.Slice("cpu_op", "aten::mm", 110, 10, "", 2);
  text.Slice("user_annotation", "Optimizer.step#Adam.step", 200, 50);
  text.Slice("cpu_op", "aten::add_", 210, 10);
  const Profile profile = Import(text);
  const HostFactsTable& host = profile.facts.host;
  EXPECT_EQ(Index(host.op[1]), 0U) << "addmm counts under linear";
  EXPECT_FALSE(IsSet(host.op[2])) << "wrappers are not ops";
  EXPECT_EQ(Index(host.op[4]), 4U);
  EXPECT_EQ(host.direction[0], Direction::kForward);
  EXPECT_EQ(host.direction[4], Direction::kBackward);
  EXPECT_EQ(host.direction[6], Direction::kOptimizer);
  EXPECT_EQ(Index(host.forward[4]), 1U) << "addmm started last with that number";
}

// The profiler records its own flows between forward and backward ops: our links must agree.
class ForwardLinksTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ForwardLinksTest, AgreeWithTheRecordedFlows) {
  const Profile& profile = ImportOnce({BundledTracePath(GetParam())});
  const TraceTables& t = profile.trace.tables;
  absl::flat_hash_map<std::pair<ThreadId, TimeNs>, size_t> ops;  // innermost that starts there
  for (size_t h = 0; h < t.host.start.size(); ++h) {
    if (t.host.kind[h] == HostKind::kOp) ops[{t.host.thread[h], t.host.start[h]}] = h;
  }
  absl::flat_hash_map<int64_t, size_t> forward;
  for (const FlowPhase phase : {FlowPhase::kStart, FlowPhase::kEnd}) {
    size_t links = 0;
    for (size_t f = 0; f < t.flows.time.size(); ++f) {
      if (t.flows.phase[f] != phase || profile.trace.Text(t.flows.category[f]) != "fwdbwd")
        continue;
      const auto op = ops.find({t.flows.thread[f], t.flows.time[f]});
      ASSERT_NE(op, ops.end());
      ++links;
      if (phase == FlowPhase::kStart) {
        forward[t.flows.flow[f]] = op->second;
      } else {
        EXPECT_EQ(Index(profile.facts.host.forward[op->second]), forward[t.flows.flow[f]]);
      }
    }
    EXPECT_GT(links, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, ForwardLinksTest,
                         ::testing::Values("gpt2_bf16", "gpt2_bf16_stacks_memory", "mlp_cpu_bound",
                                           "resnet50_fp32_workers0"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace warpsight::testing
