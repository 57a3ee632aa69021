#include "analysis/facts/kernel_period.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace warpsight {
namespace {

// Share of kernels that must equal the one a period later. Layers inside an iteration reach about
// 0.9 (12-layer transformers); real repetitions differ by a handful of kernels at most.
constexpr double kMatch = 0.97;
// A shorter "iteration" is a loop inside one.
constexpr size_t kShortest = 4;
// Candidates come from the names that occur least often.
constexpr size_t kNamesTried = 32;

double MatchShare(std::span<const StringId> names, size_t period) {
  const size_t pairs = names.size() - period;
  size_t equal = 0;
  for (size_t i = 0; i < pairs; ++i) equal += names[i] == names[i + period] ? 1 : 0;
  return static_cast<double>(equal) / static_cast<double>(pairs);
}

// The distances between neighbouring occurrences of rare names: a name that occurs once per
// iteration gives the period itself.
std::vector<size_t> Candidates(std::span<const StringId> names) {
  absl::flat_hash_map<StringId, std::vector<size_t>> places;
  for (size_t i = 0; i < names.size(); ++i) places[names[i]].push_back(i);
  std::vector<const std::vector<size_t>*> rare;
  for (const auto& [name, where] : places) {
    if (where.size() >= 2) rare.push_back(&where);
  }
  std::sort(rare.begin(), rare.end(), [](const auto* a, const auto* b) {
    return std::pair(a->size(), a->front()) < std::pair(b->size(), b->front());
  });
  if (rare.size() > kNamesTried) rare.resize(kNamesTried);
  std::vector<size_t> lengths;
  for (const auto* where : rare) {
    std::map<size_t, size_t> distances;
    for (size_t i = 1; i < where->size(); ++i) ++distances[(*where)[i] - (*where)[i - 1]];
    size_t best = 0;
    size_t best_count = 0;
    for (const auto& [distance, count] : distances) {
      if (count > best_count) {
        best = distance;
        best_count = count;
      }
    }
    lengths.push_back(best);
  }
  std::sort(lengths.begin(), lengths.end());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

}  // namespace

KernelPeriod FindKernelPeriod(std::span<const StringId> names) {
  for (const size_t length : Candidates(names)) {
    if (length < kShortest || length * 2 > names.size()) continue;
    if (MatchShare(names, length) < kMatch) continue;
    KernelPeriod period;
    period.length = length;
    period.count = names.size() / length;
    // What is left over stands in front: profiling may begin inside an iteration, and ends with
    // one.
    period.offset = names.size() - period.count * length;
    return period;
  }
  return {};
}

}  // namespace warpsight
