#pragma once

#include <optional>
#include <string_view>

namespace warpsight {

// Sums of sequence lengths in one step of an inference server. They are needed for the cost of
// attention over a paged cache, whose inputs are the whole cache.
struct SequenceLengths {
  double queries = 0;  // new tokens
  double keys = 0;     // tokens to which the queries attend
  // The computed pairs of a query and a key. Prompts are causal: a query has no pairs with later
  // keys.
  double pairs = 0;
};

// Parses the range that vLLM records around a step: "execute_32_context_0(sq0sk0sqsq0sqsk0)_
// generation_32(sq32sk55086sqsq32sqsk55086)". It contains the sums over sequences of queries (sq),
// keys (sk), squared queries (sqsq) and their products (sqsk), for prompts and for generation.
// nullopt for other names.
std::optional<SequenceLengths> ParseSequenceLengths(std::string_view range_name);

}  // namespace warpsight
