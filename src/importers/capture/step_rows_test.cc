#include "importers/capture/step_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "importers/capture/import_capture.h"
#include "importers/capture/test_capture.h"

namespace warpsight::importers::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using wire::CleanStretchRecord;
using wire::StepState;

TEST(StepRows, StepsKeepTheirTimesBoundaryAndState) {
  TestCapture file;
  file.StepTime(3000, 4500, StepState::kClean);
  file.StepTime(1000, 2000, StepState::kRecorded);
  file.StepTime(2000, 3000, StepState::kNeither, "warpsight.step");
  const Trace trace = ImportBytes(file.Bytes());
  const StepTimesTable& t = trace.tables.step_times;
  EXPECT_THAT(t.start, ElementsAre(0, 1000, 2000));
  EXPECT_THAT(t.duration, ElementsAre(1000, 1000, 1500));
  EXPECT_THAT(t.state, ElementsAre(warpsight::StepState::kRecorded, warpsight::StepState::kNeither,
                                   warpsight::StepState::kClean));
  EXPECT_EQ(trace.Text(t.boundary[0]), "Optimizer.step");
  EXPECT_EQ(trace.Text(t.boundary[1]), "warpsight.step");
  EXPECT_EQ(trace.SourceOf(t.thread[2]), SourceId{0});
  EXPECT_EQ(trace.end, 3500);
}

TEST(StepRows, TheLastRecordOfAStretchCounts) {
  TestCapture file;
  file.Call(1000, 9000, "cudaDeviceSynchronize", 1);
  file.Add(CleanStretchRecord{2000, 0});
  file.Add(CleanStretchRecord{2000, 3000});
  file.Add(CleanStretchRecord{5000, 6000});
  const Trace trace = ImportBytes(file.Bytes());
  EXPECT_THAT(trace.tables.clean_stretches.start, ElementsAre(1000, 4000));
  EXPECT_THAT(trace.tables.clean_stretches.duration, ElementsAre(1000, 1000));
}

// The program ended inside it, or was killed.
TEST(StepRows, AStretchWithoutAnEndLastsUntilTheLastRecord) {
  TestCapture file;
  file.Call(1000, 1500, "cudaDeviceSynchronize", 1);
  file.Add(CleanStretchRecord{2000, 0});
  file.StepTime(2000, 4000, StepState::kClean);
  const Trace trace = ImportBytes(file.Bytes());
  EXPECT_THAT(trace.tables.clean_stretches.start, ElementsAre(1000));
  EXPECT_THAT(trace.tables.clean_stretches.duration, ElementsAre(2000));
}

TEST(StepRows, DamagedRecordsAreLeftOutOrCorrected) {
  TestCapture file;
  file.Call(1000, 1500, "cudaDeviceSynchronize", 1);
  file.Add(CleanStretchRecord{-5, 3000});
  file.Add(CleanStretchRecord{5000, 7000});
  file.Add(CleanStretchRecord{6000, 9000});
  file.StepTime(int64_t{1} << 62, 10, StepState::kClean);
  file.StepTime(1000, 2000, static_cast<StepState>(99));
  const Trace trace = ImportBytes(file.Bytes());
  EXPECT_THAT(trace.tables.clean_stretches.start, ElementsAre(4000));
  EXPECT_THAT(trace.tables.clean_stretches.duration, ElementsAre(4000));
  EXPECT_THAT(trace.tables.step_times.state, ElementsAre(warpsight::StepState::kNeither));
  EXPECT_THAT(LogOf(trace), HasSubstr("bad_time x1: a record has no valid start and end"));
  EXPECT_THAT(LogOf(trace), HasSubstr("unknown_kind x1: a step of unknown state"));
}

TEST(StepRows, TheReasonForNoCleanStepsIsMetadata) {
  TestCapture file;
  file.Call(1000, 1500, "cudaDeviceSynchronize", 1);
  file.Fact("clean_steps_missing", "no step was found.");
  const Trace trace = ImportBytes(file.Bytes());
  EXPECT_THAT(trace.tables.step_times.start, IsEmpty());
  EXPECT_EQ(trace.Text(trace.tables.metadata.key.back()), "clean_steps_missing");
  EXPECT_EQ(trace.Text(trace.tables.metadata.value.back()), "\"no step was found.\"");
}

}  // namespace
}  // namespace warpsight::importers::capture
