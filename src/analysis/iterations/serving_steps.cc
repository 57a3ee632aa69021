#include "analysis/iterations/serving_steps.h"

#include <charconv>
#include <system_error>

#include "base/text.h"
#include "model/limits.h"

namespace warpsight {
namespace {

// Removes `label` from the front of `text`.
bool Take(std::string_view& text, std::string_view label) {
  if (!text.starts_with(label)) return false;
  text.remove_prefix(label.size());
  return true;
}

// Removes a number from the front of `text`.
bool Take(std::string_view& text, int64_t& number) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number > kLargestCount) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

// Removes "(sq32sk55086)" from the front of `text`, if it is there.
void TakeParentheses(std::string_view& text) {
  if (!text.starts_with('(')) return;
  const size_t close = text.find(')');
  if (close != text.npos) text.remove_prefix(close + 1);
}

// Makes a step from the number of requests in prefill (context) and in decode (generation).
ServingStep FromCounts(ServingFormat format, int64_t context, int64_t generation) {
  ServingStep step{format, ServingPhase::kIdle, context + generation};
  if (context > 0) step.phase = generation > 0 ? ServingPhase::kMixed : ServingPhase::kPrefill;
  if (context == 0 && generation > 0) step.phase = ServingPhase::kDecode;
  return step;
}

std::optional<ServingStep> ParseVllm(std::string_view text) {
  if (!Take(text, "execute_")) return std::nullopt;
  int64_t context = 0, generation = 0;
  if (Take(text, "new_")) {
    if (!Take(text, context) || !Take(text, "_cached_") || !Take(text, generation)) {
      return std::nullopt;
    }
    return FromCounts(ServingFormat::kVllm, context, generation);
  }
  int64_t all = 0;
  if (Take(text, all) && !Take(text, "_")) return std::nullopt;
  if (!Take(text, "context_") || !Take(text, context)) return std::nullopt;
  TakeParentheses(text);
  if (!Take(text, "_generation_") || !Take(text, generation)) return std::nullopt;
  return FromCounts(ServingFormat::kVllm, context, generation);
}

// The phase of SGLang's mode of running the model (ForwardMode).
std::optional<ServingPhase> SglangPhase(std::string_view mode) {
  if (mode == "MIXED") return ServingPhase::kMixed;
  if (mode == "IDLE") return ServingPhase::kIdle;
  // Speculative decoding works on sequences that are being generated.
  if (Contains(mode, "DECODE") || Contains(mode, "VERIFY") || mode.starts_with("DRAFT")) {
    return ServingPhase::kDecode;
  }
  if (Contains(mode, "EXTEND") || Contains(mode, "PREFILL") || mode == "PREBUILT") {
    return ServingPhase::kPrefill;
  }
  return std::nullopt;
}

std::optional<ServingStep> ParseSglang(std::string_view text) {
  ServingStep step{ServingFormat::kSglang};
  if (Take(text, "step[")) {
    const auto phase = SglangPhase(text.substr(0, text.find_first_of(" ]")));
    if (!phase) return std::nullopt;
    step.phase = *phase;
  } else if (Take(text, "decode[")) {
    step.phase = ServingPhase::kDecode;
  } else if (Take(text, "extend[") || Take(text, "prefill[")) {
    step.phase = ServingPhase::kPrefill;
  } else {
    return std::nullopt;
  }
  const size_t size = text.find("bs=");
  if (size == text.npos) return step;
  text.remove_prefix(size + 3);
  int64_t sequences = 0;
  if (Take(text, sequences)) step.sequences = sequences;
  return step;
}

std::optional<ServingStep> ParseTensorRtLlm(std::string_view text) {
  if (!Contains(text, "_forward_step ") && !text.starts_with("executeStep:")) return std::nullopt;
  // The number before a label, as in "3 ctx reqs".
  const auto before = [&](std::string_view label) -> std::optional<int64_t> {
    const size_t at = text.find(label);
    if (at == text.npos) return std::nullopt;
    const size_t begin = text.substr(0, at).find_last_not_of("0123456789") + 1;
    std::string_view digits = text.substr(begin, at - begin);
    int64_t number = 0;
    return Take(digits, number) ? std::optional(number) : std::nullopt;
  };
  const auto context = before(" ctx reqs");
  const auto generation = before(" gen reqs");
  if (!context || !generation) return std::nullopt;
  return FromCounts(ServingFormat::kTensorRtLlm, *context, *generation);
}

}  // namespace

std::optional<ServingStep> ParseServingStep(std::string_view range_name) {
  for (auto parse : {ParseVllm, ParseSglang, ParseTensorRtLlm}) {
    if (auto step = parse(range_name)) return step;
  }
  return std::nullopt;
}

std::string_view PatternOf(ServingFormat format) {
  switch (format) {
    case ServingFormat::kVllm:
      return "execute_…_context_…_generation_…";
    case ServingFormat::kSglang:
      return "step[…]";
    case ServingFormat::kTensorRtLlm:
      break;
  }
  return "_forward_step …";
}

std::string_view ToString(ServingPhase phase) {
  switch (phase) {
    case ServingPhase::kPrefill:
      return "prefill";
    case ServingPhase::kDecode:
      return "decode";
    case ServingPhase::kMixed:
      return "mixed";
    case ServingPhase::kIdle:
      break;
  }
  return "idle";
}

}  // namespace warpsight
