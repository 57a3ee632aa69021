#include "analysis/roofline/sequence_lengths.h"

#include <charconv>
#include <system_error>

namespace warpsight {
namespace {

struct Sums {
  double queries = 0, keys = 0, squares = 0, products = 0;
};

// Removes a label and a number, such as "sq32", from the front of `text`.
bool Take(std::string_view& text, std::string_view label, double& number) {
  if (!text.starts_with(label)) return false;
  text.remove_prefix(label.size());
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || number < 0) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

std::optional<Sums> Find(std::string_view name, std::string_view phase) {
  const size_t at = name.find(phase);
  if (at == name.npos) return std::nullopt;
  const size_t open = name.find('(', at);
  if (open == name.npos) return std::nullopt;
  std::string_view text = name.substr(open + 1);
  Sums sums;
  if (!Take(text, "sq", sums.queries) || !Take(text, "sk", sums.keys) ||
      !Take(text, "sqsq", sums.squares) || !Take(text, "sqsk", sums.products) ||
      !text.starts_with(')')) {
    return std::nullopt;
  }
  return sums;
}

}  // namespace

std::optional<SequenceLengths> ParseSequenceLengths(std::string_view range_name) {
  if (!range_name.starts_with("execute_")) return std::nullopt;
  const auto context = Find(range_name, "_context_");
  const auto generation = Find(range_name, "_generation_");
  if (!context || !generation) return std::nullopt;
  SequenceLengths lengths;
  lengths.queries = context->queries + generation->queries;
  lengths.keys = context->keys + generation->keys;
  lengths.pairs = context->products - context->squares / 2 + generation->products;
  return lengths;
}

}  // namespace warpsight
