#include "model/clean_stretches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace warpsight {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// One process with one GPU.
class UnrecordedGpuTimesTest : public ::testing::Test {
 protected:
  UnrecordedGpuTimesTest() {
    TraceTables& t = trace_.tables;
    t.sources.path.push_back(StringId::kEmpty);
    t.devices.source.push_back(SourceId{0});
    t.streams.device.push_back(DeviceId{0});
  }

  void Clean(TimeNs start, TimeNs end) {
    CleanStretchesTable& t = trace_.tables.clean_stretches;
    t.start.push_back(start);
    t.duration.push_back(end - start);
    t.source.push_back(SourceId{0});
  }
  // GPU work whose launch returned at a time; kMissing: its launch is not known.
  void Work(TimeNs start, TimeNs end, TimeNs launched = kMissing) {
    TraceTables& t = trace_.tables;
    launched_by_.push_back(launched == kMissing ? kNone<ApiId> : MakeId<ApiId>(t.api.start.size()));
    if (launched != kMissing) {
      t.api.start.push_back(launched - 10);
      t.api.duration.push_back(10);
    }
    t.gpu.start.push_back(start);
    t.gpu.duration.push_back(end - start);
    t.gpu.stream.push_back(StreamId{0});
  }
  std::vector<Interval> Times() { return UnrecordedGpuTimes(trace_, launched_by_).front(); }

  Trace trace_;
  SharedColumn<ApiId> launched_by_;
};

TEST_F(UnrecordedGpuTimesTest, AreTheStretches) {
  Clean(1000, 2000);
  Clean(3000, 4000);
  Work(500, 600, 500);
  Work(2500, 2600, 2495);
  EXPECT_THAT(Times(), ElementsAre(Interval{1000, 2000}, Interval{3000, 4000}));
}

TEST_F(UnrecordedGpuTimesTest, BeginWhereEarlierWorkEnds) {
  Clean(1000, 2000);
  Work(500, 1100, 400);
  Work(1150, 1300, 410);
  EXPECT_THAT(Times(), ElementsAre(Interval{1300, 2000}));
}

TEST_F(UnrecordedGpuTimesTest, AreNoneIfEarlierWorkOutlastsTheStretch) {
  Clean(1000, 2000);
  Work(500, 2200, 400);
  Work(2210, 2300, 2205);
  EXPECT_THAT(Times(), IsEmpty());
}

// Work that was launched in the stretch keeps the GPU busy after it.
TEST_F(UnrecordedGpuTimesTest, LastUntilTheFirstWorkIfThatHadToWait) {
  Clean(1000, 2000);
  Work(90'000, 91'000, 2500);
  Work(95'000, 96'000, 2600);
  EXPECT_THAT(Times(), ElementsAre(Interval{1000, 90'000}));
}

TEST_F(UnrecordedGpuTimesTest, EndWithTheStretchIfTheLaunchIsNotKnownOrWasBeforeIt) {
  Clean(1000, 2000);
  Work(90'000, 91'000);
  EXPECT_THAT(Times(), ElementsAre(Interval{1000, 2000}));
  trace_.tables.gpu = {};
  launched_by_ = {};
  Work(90'000, 91'000, 900);
  EXPECT_THAT(Times(), ElementsAre(Interval{1000, 2000}));
}

TEST(VisitRecorded, LeavesOutUnrecordedTimes) {
  const std::vector<Interval> unrecorded = {{10, 20}, {30, 40}, {60, 70}};
  std::vector<Interval> parts;
  size_t next = 0;
  const auto visit = [&](Interval part) { parts.push_back(part); };
  VisitRecorded({5, 40}, unrecorded, next, visit);
  EXPECT_THAT(parts, ElementsAre(Interval{5, 10}, Interval{20, 30}));
  VisitRecorded({45, 80}, unrecorded, next, visit);
  EXPECT_THAT(parts,
              ElementsAre(Interval{5, 10}, Interval{20, 30}, Interval{45, 60}, Interval{70, 80}));
}

}  // namespace
}  // namespace warpsight
