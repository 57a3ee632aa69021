#include "analysis/timeline/step_function.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace warpsight {
namespace {

TEST(StepFunctionTest, AveragesAreExact) {
  StepFunction steps;
  steps.Append(10, 2);
  steps.Append(20, 4);
  steps.Append(30, 0);
  steps.Finish();
  EXPECT_EQ(steps.max(), 4u);
  std::vector<float> out(4);
  steps.Averages(0, 16, 40, out);
  EXPECT_FLOAT_EQ(out[0], 2 * 6 / 16.0F);
  EXPECT_FLOAT_EQ(out[1], (2 * 4 + 4 * 10) / 16.0F);
  EXPECT_FLOAT_EQ(out[2], 0);  // clipped at 40
  EXPECT_TRUE(std::isnan(out[3]));
}

TEST(StepFunctionTest, ValuesForEmptyIntervalsAreIgnored) {
  StepFunction steps;
  steps.Append(10, 7);
  steps.Append(10, 1);
  steps.Finish();
  EXPECT_EQ(steps.max(), 1u);
}

TEST(StepFunctionTest, WithoutChangesEverythingIsZero) {
  StepFunction steps;
  steps.Finish();
  std::vector<float> out(2);
  steps.Averages(0, 1, 2, out);
  EXPECT_FLOAT_EQ(out[0], 0);
  EXPECT_FLOAT_EQ(out[1], 0);
}

TEST(StepFunctionTest, AgreesWithCountingEveryNanosecond) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 30; ++round) {
    const size_t length = 1 + random() % 5000;
    std::vector<uint32_t> values(length);
    StepFunction steps;
    uint32_t value = 0;
    for (size_t t = 0; t < length; ++t) {
      if (random() % 7 == 0) {
        value = static_cast<uint32_t>(random() % 5);
        steps.Append(static_cast<TimeNs>(t), value);
      }
      values[t] = value;
    }
    steps.Finish();
    const auto bucket = static_cast<DurationNs>(1 + random() % 600);
    const auto from = static_cast<TimeNs>(random() % length);
    std::vector<float> out(16);
    steps.Averages(from, bucket, static_cast<TimeNs>(length), out);
    for (size_t i = 0; i < out.size(); ++i) {
      const size_t begin = static_cast<size_t>(from) + i * static_cast<size_t>(bucket);
      const size_t end = std::min(begin + static_cast<size_t>(bucket), length);
      if (begin >= length) {
        EXPECT_TRUE(std::isnan(out[i]));
        continue;
      }
      double sum = 0;
      for (size_t t = begin; t < end; ++t) sum += values[t];
      EXPECT_FLOAT_EQ(out[i], static_cast<float>(sum / static_cast<double>(end - begin)));
    }
  }
}

TEST(StepFunctionTest, LongTimesAndDeepQueues) {
  StepFunction steps;
  steps.Append(1, 1'000'000);
  steps.Append((TimeNs{1} << 53) - 1, 0);
  steps.Finish();
  std::vector<float> out(1024);
  steps.Averages(0, TimeNs{1} << 43, TimeNs{1} << 53, out);
  EXPECT_FLOAT_EQ(out[500], 1e6F);
}

}  // namespace
}  // namespace warpsight
