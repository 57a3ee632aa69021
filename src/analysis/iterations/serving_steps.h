#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"

namespace warpsight {

// The kind of work of one step of an inference server.
enum class ServingPhase : uint8_t {
  kPrefill,  // prompts
  kDecode,   // one or a few new tokens of each sequence
  kMixed,    // both
  kIdle,     // neither: a step that only follows other ranks
};
inline constexpr int kServingPhases = 4;

// The server that recorded the range.
enum class ServingFormat : uint8_t { kVllm, kSglang, kTensorRtLlm };
inline constexpr int kServingFormats = 3;

struct ServingStep {
  ServingFormat format = ServingFormat::kVllm;
  ServingPhase phase = ServingPhase::kDecode;
  int64_t sequences = kMissing;  // requests in the batch, not tokens
};

// Parses the range that an inference server records around a step; nullopt for other ranges.
//   vLLM: execute_context_1(512)_generation_4(4), with the number of tokens in parentheses;
//     execute_5_context_1(sq512sk512sqsq262144sqsk262144)_generation_4(…); execute_new_1_cached_4
//   SGLang: step[DECODE bs=32], step[EXTEND bs=3 toks=512], decode[bs=32]
//   TensorRT-LLM: [Executor] _forward_step 7: 1 ctx reqs, 512 ctx tokens, 4 gen reqs;
//     executeStep: 1 ctx reqs, 4 gen reqs
std::optional<ServingStep> ParseServingStep(std::string_view range_name);

// The pattern of a server's range names: "step[…]".
std::string_view PatternOf(ServingFormat format);
// "prefill", "decode", "mixed", "idle"
std::string_view ToString(ServingPhase phase);

}  // namespace warpsight
