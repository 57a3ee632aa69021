#include "agent/core/alternation.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace warpsight::agent {
namespace {

constexpr DurationNs kMs = 1'000'000;

// A program whose steps take some time, and longer while they are recorded.
class Program {
 public:
  explicit Program(Alternation::Pattern pattern) : alternation(pattern, 0) {}

  // A step of the program, at whose end a source tells of a boundary.
  void Step(DurationNs clean, double added, StepSource source = StepSource::kOptimizer) {
    const bool recorded = alternation.recording();
    const auto length =
        static_cast<DurationNs>(static_cast<double>(clean) * (recorded ? 1 + added : 1.0));
    now += length;
    lost += length - clean;
    if (recorded) records += static_cast<int64_t>(static_cast<double>(clean) * added / 1200);
    ++steps;
    Boundary(source);
  }
  void Boundary(StepSource source, bool paused = false) {
    const auto step =
        alternation.Add({source, static_cast<int64_t>(source), 1, now, records, paused});
    if (step) times.push_back(*step);
  }
  int Count(wire::StepState state) const {
    int count = 0;
    for (const auto& step : times) count += step.state == static_cast<int64_t>(state) ? 1 : 0;
    return count;
  }
  // The mean of steps in a state, in ns.
  double Mean(wire::StepState state) const {
    double sum = 0;
    for (const auto& step : times) {
      if (step.state == static_cast<int64_t>(state))
        sum += static_cast<double>(step.end - step.start);
    }
    return sum / Count(state);
  }
  double Share() const { return static_cast<double>(lost) / static_cast<double>(now); }

  Alternation alternation;
  TimeNs now = 0;
  DurationNs lost = 0;
  int64_t records = 0;
  int64_t steps = 0;
  std::vector<wire::StepTimeRecord> times;
};

using enum wire::StepState;

// Whatever a step takes and recording adds: little of a run of 200 steps and more is lost, the
// program's own step time is right, and there are recorded steps to look at.
TEST(Alternation, TakesLittleOfARun) {
  for (const DurationNs step : {2 * kMs, 20 * kMs, 300 * kMs}) {
    for (const double added : {0.002, 0.05, 0.36, 0.65}) {
      for (const int steps : {200, 1000, 5000}) {
        SCOPED_TRACE(testing::Message() << step / kMs << " ms, " << added << ", " << steps);
        Program program(Alternation::Pattern::kAdapted);
        for (int i = 0; i < steps; ++i) program.Step(step, added);
        EXPECT_LT(program.Share(), 0.03);
        EXPECT_GE(program.Count(kRecorded), 5);
        EXPECT_GE(program.Count(kClean), steps / 5);
        EXPECT_NEAR(program.Mean(kClean), static_cast<double>(step),
                    1e-3 * static_cast<double>(step));
        EXPECT_NEAR(program.Mean(kRecorded), static_cast<double>(step) * (1 + added),
                    1e-3 * static_cast<double>(step));
        EXPECT_EQ(program.alternation.Missing(), "");
      }
    }
  }
}

// Later steps are seen as well.
TEST(Alternation, ComesBackToALongRun) {
  Program program(Alternation::Pattern::kAdapted);
  for (int i = 0; i < 5000; ++i) program.Step(10 * kMs, 0.3);
  TimeNs last = 0;
  for (const auto& step : program.times) {
    if (step.state != static_cast<int64_t>(kRecorded)) continue;
    EXPECT_LT(step.start - last, 8'000 * kMs);
    last = step.end;
  }
  EXPECT_LT(program.now - last, 8'000 * kMs);
}

TEST(Alternation, ShortRunsSayWhatIsMissing) {
  Program never(Alternation::Pattern::kAdapted);
  EXPECT_EQ(never.alternation.Missing(),
            "The step without the profiler was not measured: "
            "the program's steps cannot be told.");
  never.Step(kMs, 0.1);
  EXPECT_EQ(never.alternation.Missing(),
            "The step without the profiler was not measured: "
            "the program ended before its fourth step.");
  for (int i = 0; i < 4; ++i) never.Step(100 * kMs, 0.01);
  EXPECT_EQ(never.alternation.Missing(),
            "The step without the profiler was not measured: "
            "the program ended before its third step without recording.");
  EXPECT_TRUE(never.alternation.recording());
}

TEST(Alternation, RanksSwitchAtTheSameSteps) {
  std::vector<std::vector<int64_t>> states(2);
  for (int rank = 0; rank < 2; ++rank) {
    Program program(Alternation::Pattern::kFixed);
    for (int i = 0; i < 500; ++i) program.Step((rank + 1) * 7 * kMs, rank * 0.5);
    for (const auto& step : program.times) states[static_cast<size_t>(rank)].push_back(step.state);
    EXPECT_GE(program.Count(kRecorded), 40);
  }
  EXPECT_EQ(states[0], states[1]);
}

// Calls of modules come before the first step of an optimizer, and go on in an evaluation.
TEST(Alternation, UsesTheBestSourceThatRepeats) {
  Program program(Alternation::Pattern::kAdapted);
  for (int i = 0; i < 40; ++i) {
    program.now += 5 * kMs;
    program.Boundary(StepSource::kModule);
    program.Step(5 * kMs, 0.1);
  }
  EXPECT_EQ(program.times.back().source, static_cast<int64_t>(StepSource::kOptimizer));
  EXPECT_NEAR(static_cast<double>(program.times.back().end - program.times.back().start), 10e6,
              1e6);
  for (int i = 0; i < 1000; ++i) program.Step(5 * kMs, 0.1, StepSource::kModule);
  EXPECT_EQ(program.times.back().source, static_cast<int64_t>(StepSource::kModule));
  const size_t before = program.times.size();
  for (int i = 0; i < 20; ++i) program.Step(5 * kMs, 0.1);
  EXPECT_EQ(program.times.back().source, static_cast<int64_t>(StepSource::kOptimizer));
  EXPECT_GE(program.times.size(), before + 10);
}

// A few calls of a module, then only ranges.
TEST(Alternation, LeavesASourceThatHasEnded) {
  Program program(Alternation::Pattern::kAdapted);
  for (int i = 0; i < 3; ++i) program.Step(200 * kMs, 0.1, StepSource::kModule);
  for (int i = 0; i < 1000; ++i) program.Step(kMs / 4, 0.3, StepSource::kRange);
  EXPECT_EQ(program.times.back().source, static_cast<int64_t>(StepSource::kRange));
  EXPECT_GE(program.Count(kClean), 200);
}

TEST(Alternation, WhatTakesLongWithoutStepsIsRecorded) {
  Program program(Alternation::Pattern::kAdapted);
  for (int i = 0; i < 1000 && (i < 60 || program.alternation.recording()); ++i) {
    program.Step(10 * kMs, 0.3);
  }
  ASSERT_FALSE(program.alternation.recording());
  program.alternation.Tick(program.now + 100 * kMs);
  EXPECT_FALSE(program.alternation.recording());
  program.alternation.Tick(program.now + 5'000 * kMs);
  EXPECT_TRUE(program.alternation.recording());
  program.now += 5'000 * kMs;
  program.Boundary(StepSource::kOptimizer);
  EXPECT_EQ(program.times.back().state, static_cast<int64_t>(kNeither));
}

TEST(Alternation, StopsWhereItMust) {
  Program program(Alternation::Pattern::kAdapted);
  for (int i = 0; i < 1000 && (i < 60 || program.alternation.recording()); ++i) {
    program.Step(10 * kMs, 0.3);
  }
  ASSERT_FALSE(program.alternation.recording());
  program.alternation.RecordAll("it was asked for", program.now);
  EXPECT_TRUE(program.alternation.recording());
  for (int i = 0; i < 1000; ++i) program.Step(10 * kMs, 0.3);
  EXPECT_TRUE(program.alternation.recording());
}

TEST(Alternation, ForgottenCleanStepsAreMissing) {
  Program program(Alternation::Pattern::kAdapted);
  for (int i = 0; i < 100; ++i) program.Step(10 * kMs, 0.3);
  ASSERT_GE(program.Count(kClean), 3);
  EXPECT_EQ(program.alternation.Missing(), "");
  program.alternation.RecordAll("it changed", program.now);
  program.alternation.ForgetCleanSteps();
  EXPECT_EQ(program.alternation.Missing(),
            "The step without the profiler was not measured: it changed.");
}

// The program stops the recording itself: those steps are neither clean nor recorded.
TEST(Alternation, PausedStepsCountForNothing) {
  Program program(Alternation::Pattern::kAdapted);
  for (int i = 0; i < 100; ++i) {
    program.now += 10 * kMs;
    program.Boundary(StepSource::kProgram, true);
  }
  EXPECT_EQ(program.Count(kClean) + program.Count(kRecorded), 0);
}

TEST(Alternation, NothingWithoutAPattern) {
  Program program(Alternation::Pattern::kNone);
  for (int i = 0; i < 1000; ++i) program.Step(10 * kMs, 0.3);
  EXPECT_TRUE(program.times.empty());
  EXPECT_TRUE(program.alternation.recording());
  EXPECT_EQ(program.alternation.Missing(),
            "The step without the profiler was not measured: "
            "everything was recorded, as requested.");
}

}  // namespace
}  // namespace warpsight::agent
