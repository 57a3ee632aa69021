#include "agent/counters/explain.h"

#include <gtest/gtest.h>

namespace warpsight::agent {
namespace {

bool Says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(ExplainFailure, SaysWhatToDo) {
  const std::string forbidden = ExplainFailure(
      "cuptiRangeProfilerEnable", CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "insufficient privileges");
  EXPECT_TRUE(Says(forbidden, "NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_TRUE(Says(forbidden, "--cap-add=SYS_ADMIN"));
  EXPECT_TRUE(Says(forbidden, "cuptiRangeProfilerEnable answered 35 (insufficient privileges)"));
  EXPECT_TRUE(Says(ExplainFailure("x", CUPTI_ERROR_HARDWARE_BUSY, ""), "DCGM"));
}

TEST(ExplainFailure, SaysAtLeastWhatFailed) {
  EXPECT_EQ(ExplainFailure("cuptiRangeProfilerStop", CUPTI_ERROR_UNKNOWN, ""),
            "hardware counters were not read: cuptiRangeProfilerStop answered 999");
}

}  // namespace
}  // namespace warpsight::agent
