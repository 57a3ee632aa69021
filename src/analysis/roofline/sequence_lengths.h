#pragma once

#include <optional>
#include <string_view>

namespace warpsight {

// Sums of sequence lengths in one step of an inference server. Attention over a paged cache cannot
// be counted without: its inputs are the whole cache.
struct SequenceLengths {
  double queries = 0;  // new tokens
  double keys = 0;     // tokens that are attended to
  // Pairs of a query and a key that are computed. Prompts are causal: a query sees no later key.
  double pairs = 0;
};

// From the range that vLLM records around a step: "execute_32_context_0(sq0sk0sqsq0sqsk0)_
// generation_32(sq32sk55086sqsq32sqsk55086)" with the sums over sequences of queries (sq), keys
// (sk), squared queries (sqsq) and their products (sqsk), for prompts and for generation. None
// where the name is another.
std::optional<SequenceLengths> ParseSequenceLengths(std::string_view range_name);

}  // namespace warpsight
