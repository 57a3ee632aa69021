#include "importers/api/one_run.h"

#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpsight {
namespace {

using ::testing::HasSubstr;
using Facts = TraceBuilder::SourceFacts;

constexpr DurationNs kSecond = 1'000'000'000;

Facts Rank(int64_t rank, int64_t world_size) {
  Facts facts;
  facts.path = "rank" + std::to_string(rank);
  facts.format = "chrome";
  facts.rank = rank;
  facts.world_size = world_size;
  facts.unix_base = 1000 * kSecond;
  facts.start = 0;
  facts.end = kSecond;
  facts.activities = 10;
  facts.gpu_time = kSecond / 2;
  return facts;
}

TEST(OneRunTest, RanksOfAJobBelongTogether) {
  EXPECT_TRUE(CheckOneRun({Rank(0, 2), Rank(1, 2)}).ok());
  EXPECT_TRUE(CheckOneRun({Facts(), Facts()}).ok()) << "nothing is known";
}

TEST(OneRunTest, FilesOfDifferentRunsAreRejectedWithTheReason) {
  EXPECT_THAT(CheckOneRun({Rank(0, 2), Rank(0, 2)}).error().message, HasSubstr("both are rank 0"));
  EXPECT_THAT(CheckOneRun({Rank(0, 2), Rank(1, 8)}).error().message,
              HasSubstr("jobs with 2 and 8 ranks"));
  Facts later = Rank(1, 2);
  later.start += 60 * kSecond;
  later.end += 60 * kSecond;
  EXPECT_THAT(CheckOneRun({Rank(0, 2), later}).error().message,
              HasSubstr("one ends 59 s before the other starts"));
  later.unix_base = kMissing;
  EXPECT_TRUE(CheckOneRun({Rank(0, 2), later}).ok()) << "clocks that cannot be compared";
}

TEST(OneRunTest, TheRecordedRunDecides) {
  Facts first = Rank(0, 2);
  Facts later = Rank(0, 4);
  later.start += 600 * kSecond;
  later.end += 600 * kSecond;
  first.run = later.run = 7;
  EXPECT_TRUE(CheckOneRun({first, later}).ok());
  Facts other = Rank(1, 2);
  other.run = 8;
  EXPECT_THAT(CheckOneRun({first, other}).error().message, HasSubstr("to two recordings"));
  other.run = 0;
  EXPECT_TRUE(CheckOneRun({first, other}).ok());
}

TEST(OneRunTest, TwoFormatsOfOneRecordingAreRejected) {
  Facts plane = Rank(kMissing, kMissing);
  Facts json = plane;
  json.format = "other";
  json.gpu_time += 10;
  EXPECT_THAT(CheckOneRun({plane, json}).error().message, HasSubstr("the same recording"));
  json.activities = 11;
  EXPECT_TRUE(CheckOneRun({plane, json}).ok());
}

}  // namespace
}  // namespace warpsight
