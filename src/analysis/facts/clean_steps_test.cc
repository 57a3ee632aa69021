#include "analysis/facts/clean_steps.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>

namespace warpsight {
namespace {

constexpr DurationNs kMs = 1'000'000;
constexpr StepState kClean = StepState::kClean;
constexpr StepState kRecorded = StepState::kRecorded;
constexpr StepState kNeither = StepState::kNeither;

// Processes, each with one thread, and the times of their steps.
class CleanStepsTest : public ::testing::Test {
 protected:
  CleanStepsTest() {
    for (const SourceId source : {SourceId{0}, SourceId{1}}) {
      TraceTables& t = trace_.tables;
      t.sources.path.push_back(StringId::kEmpty);
      t.processes.source.push_back(source);
      t.threads.process.push_back(MakeId<ProcessId>(Index(source)));
    }
  }

  void Steps(StepState state, std::initializer_list<DurationNs> milliseconds,
             ThreadId thread = ThreadId{0}, std::string_view boundary = "Optimizer.step") {
    StepTimesTable& t = trace_.tables.step_times;
    for (const DurationNs time : milliseconds) {
      t.start.push_back(now_);
      t.duration.push_back(time * kMs);
      t.thread.push_back(thread);
      t.boundary.push_back(trace_.strings.Intern(boundary));
      t.state.push_back(state);
      now_ += time * kMs;
    }
  }
  void Fact(std::string_view key, std::string_view json) {
    MetadataTable& t = trace_.tables.metadata;
    t.source.push_back(SourceId{0});
    t.key.push_back(trace_.strings.Intern(key));
    t.value.push_back(trace_.strings.Intern(json));
  }
  CleanSteps Find(SourceId source = SourceId{0}) const { return FindCleanSteps(trace_, source); }

  Trace trace_;
  TimeNs now_ = 0;
};

TEST_F(CleanStepsTest, TakesTheMedianOfTheStretchesByTheirSteps) {
  Steps(kRecorded, {25, 25, 25});
  Steps(kNeither, {40});
  Steps(kClean, {20, 22});
  Steps(kNeither, {40});
  Steps(kRecorded, {24, 26, 25, 25});
  Steps(kNeither, {40});
  Steps(kClean, {22, 22, 23, 21});
  const CleanSteps found = Find();
  EXPECT_EQ(found.clean_step, 22 * kMs);
  EXPECT_EQ(found.clean_steps, 6);
  EXPECT_EQ(found.clean_stretches, 2);
  EXPECT_EQ(found.clean_low, 21 * kMs);
  EXPECT_EQ(found.clean_high, 22 * kMs);
  EXPECT_EQ(found.recorded_step, 25 * kMs);
  EXPECT_EQ(found.recorded_steps, 7);
  EXPECT_EQ(found.Added(), 3 * kMs);
  EXPECT_EQ(found.boundary, "Optimizer.step");
  EXPECT_EQ(found.missing, "");
  EXPECT_TRUE(found.Known());
}

// A program that waits for the GPU in every fourth step: only the mean of several steps says how
// long one takes.
TEST_F(CleanStepsTest, TakesTheMeanOfAStretch) {
  Steps(kRecorded, {2, 2, 2, 42, 2, 2, 2, 42});
  Steps(kClean, {1, 1, 1, 37, 1, 1, 1, 37});
  Steps(kRecorded, {2, 2, 2, 42});
  const CleanSteps found = Find();
  EXPECT_EQ(found.clean_step, 10 * kMs);
  EXPECT_EQ(found.recorded_step, 12 * kMs);
}

TEST_F(CleanStepsTest, OneStretchHasTheSpreadOfItsSteps) {
  Steps(kClean, {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20});
  const CleanSteps found = Find();
  EXPECT_EQ(found.clean_step, 15 * kMs);
  EXPECT_EQ(found.clean_low, 11 * kMs);
  EXPECT_EQ(found.clean_high, 19 * kMs);
  EXPECT_EQ(found.missing,
            "No step was recorded as a whole: what recording adds could not be measured.");
  EXPECT_EQ(found.Added(), std::nullopt);
}

TEST_F(CleanStepsTest, LeavesOutWarmUp) {
  Steps(kRecorded, {900, 300, 10, 10, 10, 10});
  Steps(kClean, {9, 9, 9});
  const CleanSteps found = Find();
  EXPECT_EQ(found.recorded_step, 10 * kMs);
  EXPECT_EQ(found.recorded_steps, 4);
}

TEST_F(CleanStepsTest, TwoStepsAreTooFew) {
  Steps(kRecorded, {10, 10, 10, 10});
  Steps(kClean, {9, 9});
  const CleanSteps found = Find();
  EXPECT_EQ(found.clean_step, std::nullopt);
  EXPECT_EQ(found.clean_steps, 2);
  EXPECT_EQ(found.missing,
            "Only 2 steps ran without recording: the step without the profiler could not be "
            "measured.");
}

TEST_F(CleanStepsTest, OneStepIsNotClean) {
  Steps(kNeither, {10});
  EXPECT_EQ(Find().missing,
            "No step ran without recording: the step without the profiler could not be measured.");
}

TEST_F(CleanStepsTest, TheAgentsReasonIsPassedOn) {
  Fact("clean_steps_missing", R"("No step was found: call \"warpsight.step\".")");
  const CleanSteps found = Find();
  EXPECT_EQ(found.missing, "No step was found: call \"warpsight.step\".");
  EXPECT_TRUE(found.Known());
}

TEST_F(CleanStepsTest, OtherTracesSayNothing) {
  EXPECT_EQ(Find().missing, "");
  EXPECT_FALSE(Find().Known());
}

TEST_F(CleanStepsTest, StepsThatVaryTenfoldAreUncertain) {
  Steps(kRecorded, {10, 10, 10});
  Steps(kClean, {2, 2, 2});
  Steps(kRecorded, {10, 10, 10});
  Steps(kClean, {31, 31, 31});
  const CleanSteps found = Find();
  ASSERT_TRUE(found.clean_step);
  EXPECT_EQ(found.Added(), std::nullopt);
  EXPECT_EQ(found.missing,
            "The steps without recording vary more than tenfold, from 2.00 ms to 31.0 ms: their "
            "mean is uncertain, and what recording adds could not be measured.");
}

TEST_F(CleanStepsTest, EveryProcessHasItsOwnSteps) {
  Steps(kClean, {10, 10, 10});
  Steps(kClean, {20, 20, 20, 20}, ThreadId{1});
  Steps(kClean, {1, 1}, ThreadId{1}, "calls of Net");
  EXPECT_EQ(Find(SourceId{0}).clean_step, 10 * kMs);
  EXPECT_EQ(Find(SourceId{1}).clean_step, 20 * kMs);
  EXPECT_EQ(Find(SourceId{1}).boundary, "Optimizer.step");
}

}  // namespace
}  // namespace warpsight
