#include "agent/counters/metric_set.h"

#include <gtest/gtest.h>

#include "agent/driver/library.h"

namespace warpsight::agent {
namespace {

// CUPTI's own tables of chips, which need no GPU.
class MetricSetTest : public testing::Test {
 protected:
  void SetUp() override {
#ifdef WARPSIGHT_SANITIZED
    GTEST_SKIP() << "libcupti loads libnvperf_host.so in a way that the sanitizer does not allow";
#endif
    std::string not_found;
    const Library library = FindCupti(not_found);
    if (!library) GTEST_SKIP() << not_found;
    if (const std::string missing = api_.Load(library); !missing.empty()) {
      GTEST_SKIP() << library.path() << " has no " << missing;
    }
    const std::string folder = library.path().substr(0, library.path().rfind('/') + 1);
    if (!Library::Open(folder + "libnvperf_host.so")) GTEST_SKIP() << "needs libnvperf_host.so";
  }

  CounterApi api_;
  CounterFailure failure_;
};

TEST_F(MetricSetTest, TimeAndBytesTakeOnePass) {
  for (const char* chip : {"TU102", "GA100", "AD102", "GH100", "GB100", "GB202"}) {
    MetricSet everything(api_, failure_);
    ASSERT_TRUE(everything.Choose(chip, Counting::kEverything))
        << chip << ": " << failure_.step << " " << failure_.result;
    EXPECT_GE(everything.metrics().size(), 7U) << chip;
    EXPECT_LE(everything.passes(), 3U) << chip;
    MetricSet brief(api_, failure_);
    ASSERT_TRUE(brief.Choose(chip, Counting::kTimeAndBytes)) << chip;
    EXPECT_EQ(brief.metrics().size(), 6U) << chip;
    EXPECT_EQ(brief.passes(), 1U) << chip;
  }
}

TEST_F(MetricSetTest, OfAChipThatCuptiDoesNotKnowThereIsNone) {
  MetricSet set(api_, failure_);
  EXPECT_FALSE(set.Choose("GX999", Counting::kEverything));
  EXPECT_STREQ(failure_.step, "cuptiProfilerHostInitialize");
  EXPECT_NE(failure_.result, CUPTI_SUCCESS);
}

}  // namespace
}  // namespace warpsight::agent
