// Invariants of every what-if on every trace, whatever its numbers.
#include "analysis/whatif/what_if.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/accounting/range_clean_steps.h"
#include "import_once.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

// A replay ends when two rounds differ by less than a thousandth, so steps are not exact.
constexpr double kTolerance = 1.003;

class WhatIfTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    range_ = SummarizeRange(profile_);
    what_if_.emplace(profile_, range_);
    ASSERT_FALSE(what_if_->empty());
  }

  template <typename Visit>
  void ForEachTask(const Visit& visit) const {
    for (const StepGraph& graph : what_if_->graphs()) {
      for (const TaskNode& task : graph.tasks) visit(task.gpu);
    }
  }
  template <typename Visit>
  void ForEachCall(const Visit& visit) const {
    for (const StepGraph& graph : what_if_->graphs()) {
      for (const CallNode& call : graph.calls) {
        if (IsSet(call.api)) visit(call.api);
      }
    }
  }

  void ExpectNotSlower(const Scenario& scenario) const {
    EXPECT_LE(static_cast<double>(scenario.Step()),
              kTolerance * static_cast<double>(what_if_->step()));
  }

  const Profile& profile_ = ImportOnce({BundledTracePath(GetParam())});
  RangeSummary range_;
  std::optional<WhatIf> what_if_;
};

TEST_P(WhatIfTest, TheUneditedStepIsThePredictedStep) {
  EXPECT_EQ(what_if_->Edit().Step(), what_if_->step());
  EXPECT_EQ(what_if_->Edit().Run().step, what_if_->step());
  EXPECT_EQ(what_if_->CurrentReplay().step, what_if_->step());
}

TEST_P(WhatIfTest, ChangingNothingChangesNothing) {
  Scenario scenario = what_if_->Edit();
  scenario.RemoveOps({});
  scenario.MoveToOwnStream(std::span<const GpuId>());
  const size_t threads = RowCount(profile_.trace.tables.threads);
  scenario.RemoveCpuTime(CpuTimes(threads));
  scenario.ScaleCpuTime(CpuTimes(threads, IntervalSet::FromUnsorted({{0, profile_.trace.end}})), 1);
  ForEachTask([&](GpuId gpu) { scenario.Scale(gpu, 1); });
  ForEachCall([&](ApiId api) { scenario.AddCpuTime(api, 0); });
  EXPECT_EQ(scenario.Step(), what_if_->step());
}

TEST_P(WhatIfTest, RemovingTheProfilerNeverAddsTime) {
  const WhatIf recorded(profile_, range_, Recording::kAsRecorded);
  EXPECT_LE(static_cast<double>(what_if_->step()),
            kTolerance * static_cast<double>(recorded.step()));
  EXPECT_EQ(recorded.measured_step(), what_if_->measured_step());
  EXPECT_EQ(recorded.replayed_step(), what_if_->replayed_step());
}

TEST_P(WhatIfTest, FasterWorkNeverMakesTheStepSlower) {
  std::mt19937 random(20);
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    Scenario scenario = what_if_->Edit();
    const double chance = std::uniform_real_distribution(0.0, 1.0)(random);
    const auto chosen = [&] { return std::bernoulli_distribution(chance)(random); };
    const auto factor = [&] { return std::uniform_real_distribution(0.0, 1.0)(random); };
    ForEachTask([&](GpuId gpu) {
      if (!chosen()) return;
      if (round % 3 == 0) {
        scenario.Remove(gpu);
      } else {
        scenario.Scale(gpu, factor());
      }
    });
    ForEachCall([&](ApiId api) {
      if (!chosen()) return;
      if (round % 4 == 0) scenario.RemoveCall(api);
      if (round % 4 == 1) scenario.FreeCall(api);
      if (round % 4 == 2) scenario.DropWait(api);
    });
    if (round % 2 == 0) {
      for (size_t t = 0; t < RowCount(profile_.trace.tables.threads); ++t) {
        std::uniform_int_distribution<TimeNs> time(0, profile_.trace.end);
        const TimeNs from = time(random);
        CpuTimes times(RowCount(profile_.trace.tables.threads));
        times[t] = IntervalSet::FromUnsorted({{from, time(random)}});
        scenario.ScaleCpuTime(times, factor());
      }
    }
    ExpectNotSlower(scenario);
  }
}

// However fast the host gets, work that ran one after the other on a GPU still does.
TEST_P(WhatIfTest, HostChangesDoNotShortenTheGpuWork) {
  DurationNs busy = 0;  // of the source that is busy longest
  for (const StepGraph& graph : what_if_->graphs()) {
    std::map<DeviceId, std::vector<Interval>> work;
    for (const TaskNode& task : graph.tasks) {
      const size_t g = Index(task.gpu);
      const GpuActivitiesTable& gpu = profile_.trace.tables.gpu;
      work[profile_.trace.DeviceOf(gpu.stream[g])].push_back(
          {gpu.start[g], gpu.start[g] + gpu.duration[g]});
    }
    for (auto& [device, intervals] : work) {
      const DurationNs length = IntervalSet::FromUnsorted(std::move(intervals)).Length();
      busy = std::max(busy, length / graph.iterations);
    }
  }
  const size_t threads = RowCount(profile_.trace.tables.threads);
  const DurationNs graph = what_if_->StepAfter([&](Scenario& scenario) {
    scenario.DropWaitsWithoutCall();
    scenario.LaunchAsGraph(0, 0, CpuTimes(threads), {});
  });
  const DurationNs free = what_if_->StepAfter([&](Scenario& scenario) {
    scenario.RemoveCpuTime(CpuTimes(threads, IntervalSet::FromUnsorted({{0, profile_.trace.end}})));
    ForEachCall([&](ApiId api) { scenario.RemoveCall(api); });
  });
  // Shares of busy time are rounded to nanoseconds for each task.
  const auto least = static_cast<DurationNs>(0.9999 * static_cast<double>(busy));
  EXPECT_GE(graph, least);
  EXPECT_GE(free, least);
}

TEST_P(WhatIfTest, SlowerGpuWorkNeverMakesTheStepFaster) {
  for (const double factor : {1.1, 2.0}) {
    Scenario scenario = what_if_->Edit();
    ForEachTask([&](GpuId gpu) { scenario.Scale(gpu, factor); });
    EXPECT_GE(static_cast<double>(scenario.Step()) * kTolerance,
              static_cast<double>(what_if_->step()));
    EXPECT_LE(static_cast<double>(scenario.Step()),
              factor * kTolerance * static_cast<double>(what_if_->step()));
  }
}

TEST_P(WhatIfTest, WithoutGpuWorkTheCpuTimeRemains) {
  Scenario scenario = what_if_->Edit();
  ForEachTask([&](GpuId gpu) { scenario.Remove(gpu); });
  const Replay replay = scenario.Run();
  EXPECT_EQ(replay.path[static_cast<size_t>(PathPart::kKernels)], 0);
  EXPECT_EQ(replay.path[static_cast<size_t>(PathPart::kCopies)], 0);
  // Threads run concurrently or one after the other.
  DurationNs least = 0;
  DurationNs most = 0;
  for (const StepGraph& graph : what_if_->graphs()) {
    std::vector<DurationNs> thread(RowCount(profile_.trace.tables.threads));
    DurationNs delays = 0;
    for (const CallNode& call : graph.calls) {
      thread[Index(call.thread)] += call.work + call.call;
      delays += call.handover_delay;
    }
    const DurationNs sum = std::accumulate(thread.begin(), thread.end(), delays);
    least = std::max(least, *std::max_element(thread.begin(), thread.end()) / graph.iterations);
    most = std::max(most, sum / graph.iterations);
  }
  EXPECT_GE(static_cast<double>(replay.step) * kTolerance, static_cast<double>(least));
  EXPECT_LE(static_cast<double>(replay.step), kTolerance * static_cast<double>(most));
}

TEST_P(WhatIfTest, WithoutCpuTimeTheGpuWorkRemains) {
  Scenario scenario = what_if_->Edit();
  scenario.LaunchAsGraph(0, 0, CpuTimes(RowCount(profile_.trace.tables.threads)), {});
  const Replay replay = scenario.Run();
  ExpectNotSlower(scenario);
  EXPECT_EQ(replay.path[static_cast<size_t>(PathPart::kCpu)], 0);
  EXPECT_EQ(replay.path[static_cast<size_t>(PathPart::kCalls)], 0);
  // Work of one stream overlaps little, so every stream gives a lower limit.
  for (const StepGraph& graph : what_if_->graphs()) {
    std::vector<DurationNs> stream(RowCount(profile_.trace.tables.streams));
    for (const TaskNode& task : graph.tasks) {
      stream[Index(profile_.trace.tables.gpu.stream[Index(task.gpu)])] +=
          task.duration + std::min<DurationNs>(0, task.gap);
    }
    for (const DurationNs time : stream) {
      EXPECT_GE(static_cast<double>(replay.step * graph.iterations) * kTolerance,
                static_cast<double>(time));
    }
  }
}

DurationNs LengthOfPath(const Replay& replay) {
  return std::accumulate(replay.path.begin(), replay.path.end(), DurationNs{0});
}

TEST_P(WhatIfTest, TheCriticalPathIsAsLongAsTheStep) {
  EXPECT_EQ(LengthOfPath(what_if_->CurrentReplay()), what_if_->step());
  Scenario scenario = what_if_->Edit();
  ForEachTask([&](GpuId gpu) { scenario.Scale(gpu, 0.5); });
  const Replay replay = scenario.Run();
  EXPECT_EQ(LengthOfPath(replay), replay.step);
}

TEST_P(WhatIfTest, TheStepIsNotLongerWithoutTheProfiler) {
  EXPECT_LE(what_if_->step(), what_if_->measured_step());
}

TEST_P(WhatIfTest, CopiesOnTheirOwnStreamHelpOrDoNothing) {
  Scenario scenario = what_if_->Edit();
  std::vector<GpuId> copies;
  ForEachTask([&](GpuId gpu) {
    if (profile_.trace.tables.gpu.kind[Index(gpu)] == GpuKind::kCopy) copies.push_back(gpu);
  });
  scenario.MoveToOwnStream(copies);
  ExpectNotSlower(scenario);
}

// 3,500 ops and ranges and 900 calls per step were recorded while the GPU waited.
TEST(WhatIfOwnRecording, TheCostOfRecordingIsRemoved) {
  const Profile& profile = ImportOnce({SourcePath("tests/data/h200/captured_gpt2_bf16.wscap")});
  const RangeSummary range = SummarizeRange(profile);
  const auto recorded = static_cast<double>(WhatIf(profile, range, Recording::kAsRecorded).step());
  const auto without = static_cast<double>(WhatIf(profile, range).step());
  EXPECT_LT(without, 0.95 * recorded);
  EXPECT_GT(without, 0.7 * recorded);
}

// Clean stretches measure the step without the profiler: no estimate is needed.
TEST(WhatIfOwnRecording, TheStepIsThatOfTheCleanStretches) {
  const Profile& profile = ImportOnce({SourcePath("tests/data/stretches/alternating.wscap")});
  const RangeSummary range = SummarizeRange(profile);
  const std::optional<DurationNs> clean = MeasuredCleanStep(profile.trace, range);
  ASSERT_TRUE(clean);
  const WhatIf what_if(profile, range);
  EXPECT_EQ(what_if.step(), *clean);
  EXPECT_EQ(what_if.Edit().Step(), *clean);
  EXPECT_EQ(what_if.CurrentReplay().step, *clean);
  EXPECT_LT(what_if.step(), what_if.measured_step());
  // The estimate is another one, and is not used.
  EXPECT_EQ(WhatIf(profile, range, Recording::kAsRecorded).step(), what_if.replayed_step());
  const DurationNs gpu_only = what_if.StepAfter([&](Scenario& scenario) {
    scenario.LaunchAsGraph(0, 0, CpuTimes(RowCount(profile.trace.tables.threads)), {});
  });
  EXPECT_LT(gpu_only, *clean);
  for (const StepGraph& graph : what_if.graphs()) {
    EXPECT_GE(gpu_only, BusyTime(graph) / graph.iterations);
  }
}

// Steps are timed by one kind of boundary, iterations may be found by another one.
TEST(WhatIfOwnRecording, OtherUnitsThanTheIterationsAreConverted) {
  const Profile& profile = ImportOnce({SourcePath("tests/data/stretches/alternating.wscap")});
  RangeSummary range = SummarizeRange(profile);
  const CleanSteps steps = CleanStepsOf(profile.trace, range);
  ASSERT_TRUE(steps.clean_step && steps.recorded_step);
  EXPECT_EQ(MeasuredCleanStep(profile.trace, range), steps.clean_step);
  range.average_iteration = 10 * *steps.recorded_step;
  EXPECT_EQ(MeasuredCleanStep(profile.trace, range), 10 * *steps.clean_step);
}

// Recordings with few records: GPU work that begins long after the first step, and a kernel without
// its launch.
TEST(WhatIfUnsteadyRecording, TheStepStaysTheMeasuredOne) {
  for (const char* name : {"resnet50_fp32_workers0.json", "bare_array_open.json"}) {
    SCOPED_TRACE(name);
    const Profile profile =
        ImportForTest({SourcePath("tests/fuzz/seeds/chrome/" + std::string(name))});
    const RangeSummary range = SummarizeRange(profile);
    const WhatIf what_if(profile, range);
    ASSERT_FALSE(what_if.empty());
    EXPECT_LE(what_if.step(), what_if.measured_step());
    EXPECT_EQ(what_if.Edit().Step(), what_if.step());
    EXPECT_EQ(LengthOfPath(what_if.CurrentReplay()), what_if.step());
    // A change saves the same share of the step, but the GPU is busy as long as before.
    DurationNs busy = 0;
    for (const StepGraph& graph : what_if.graphs()) {
      busy = std::max(busy, BusyTime(graph) / graph.iterations);
    }
    const DurationNs free = what_if.StepAfter([&](Scenario& scenario) {
      scenario.LaunchAsGraph(0, 0, CpuTimes(RowCount(profile.trace.tables.threads)), {});
    });
    EXPECT_LE(free, what_if.step());
    EXPECT_GE(free, busy);
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, WhatIfTest, ::testing::ValuesIn(BundledTraces()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace warpsight::testing
