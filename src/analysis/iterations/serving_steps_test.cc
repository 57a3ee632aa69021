#include "analysis/iterations/serving_steps.h"

#include <gtest/gtest.h>

#include <string>

namespace warpsight {
namespace {

TEST(ServingSteps, PhaseAndSequencesOfEachServer) {
  const struct {
    std::string_view name;
    ServingFormat format;
    ServingPhase phase;
    int64_t sequences;
  } cases[] = {
      {"execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)",
       ServingFormat::kVllm, ServingPhase::kDecode, 32},
      {"execute_517_context_2(sq514sk514sqsq1sqsk1)_generation_3(sq3sk90sqsq3sqsk90)",
       ServingFormat::kVllm, ServingPhase::kMixed, 5},
      {"execute_context_1(512)_generation_0(0)", ServingFormat::kVllm, ServingPhase::kPrefill, 1},
      {"execute_context_1(512)_generation_4", ServingFormat::kVllm, ServingPhase::kMixed, 5},
      {"execute_context_0(0)_generation_0(0)", ServingFormat::kVllm, ServingPhase::kIdle, 0},
      {"execute_new_0_cached_7", ServingFormat::kVllm, ServingPhase::kDecode, 7},
      {"step[DECODE bs=32]", ServingFormat::kSglang, ServingPhase::kDecode, 32},
      {"step[EXTEND bs=3 toks=512]", ServingFormat::kSglang, ServingPhase::kPrefill, 3},
      {"step[MIXED bs=2]", ServingFormat::kSglang, ServingPhase::kMixed, 2},
      {"step[TARGET_VERIFY bs=4]", ServingFormat::kSglang, ServingPhase::kDecode, 4},
      {"step[IDLE]", ServingFormat::kSglang, ServingPhase::kIdle, kMissing},
      {"decode[bs=8]", ServingFormat::kSglang, ServingPhase::kDecode, 8},
      {"[Executor] _forward_step 17: 0 ctx reqs, 64 gen reqs", ServingFormat::kTensorRtLlm,
       ServingPhase::kDecode, 64},
      {"[Executor] _forward_step 18: 2 ctx reqs, 900 ctx tokens, 3 gen reqs",
       ServingFormat::kTensorRtLlm, ServingPhase::kMixed, 5},
      {"executeStep: 1 ctx reqs, 0 gen reqs", ServingFormat::kTensorRtLlm, ServingPhase::kPrefill,
       1},
  };
  for (const auto& c : cases) {
    const auto step = ParseServingStep(c.name);
    ASSERT_TRUE(step) << c.name;
    EXPECT_EQ(step->format, c.format) << c.name;
    EXPECT_EQ(ToString(step->phase), ToString(c.phase)) << c.name;
    EXPECT_EQ(step->sequences, c.sequences) << c.name;
  }
}

TEST(ServingSteps, OtherRangesAreNotSteps) {
  for (const std::string_view name :
       {"", "execute", "execute_model", "execute_32", "execute_context_", "execute_context_x",
        "execute_context_99999999999999999999_generation_1", "execute_new_1", "step", "step 3",
        "step[3]", "step[", "decode", "capture_32_DECODE", "ctx reqs", "_forward_step 3",
        "[Executor] _forward_step 3:  ctx reqs,  gen reqs", "executeStep"}) {
    EXPECT_FALSE(ParseServingStep(name)) << name;
  }
}

}  // namespace
}  // namespace warpsight
