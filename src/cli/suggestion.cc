#include "cli/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace warpsight {
namespace {

// Options and commands are shorter; longer words are not compared.
constexpr size_t kLongestWord = 40;

// How many letters to insert, remove, replace or exchange with the next one.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t k = 1; k <= b.size(); ++k) {
      const size_t other = a[i - 1] == b[k - 1] ? 0 : 1;
      now[k] = std::min({last[k] + 1, now[k - 1] + 1, last[k - 1] + other});
      const bool swapped = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
      if (swapped) now[k] = std::min(now[k], before_last[k - 2] + 1);
    }
    before_last.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

}  // namespace

std::string NearestWord(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() < 2 || word.size() > kLongestWord) return {};
  // A third of the letters may be wrong, at least one.
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  std::string nearest;
  for (const std::string& other : known) {
    const size_t distance = Distance(word, other);
    if (distance >= least) continue;
    least = distance;
    nearest = other;
  }
  if (!nearest.empty()) return nearest;
  const auto begins = [&](const std::string& other) { return other.starts_with(word); };
  if (std::count_if(known.begin(), known.end(), begins) != 1) return {};
  return *std::find_if(known.begin(), known.end(), begins);
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& known) {
  const std::string nearest = NearestWord(word, known);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

}  // namespace warpsight
