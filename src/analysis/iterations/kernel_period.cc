#include "analysis/iterations/kernel_period.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "model/hash_map.h"

namespace warpsight {
namespace {

// The share of the kernels that must equal the one a period later. Real repetitions differ by a
// handful of kernels at most. Layers inside an iteration reach about 0.9 in transformers of 12
// layers, but more than the threshold in those of 48.
constexpr double kMatch = 0.97;
// Shorter repetitions are loops inside an iteration.
constexpr size_t kShortest = 4;
constexpr size_t kLeastPart = 4;
// The number of rare names from which candidates are taken.
constexpr size_t kNamesTried = 32;

// For each kernel of a sequence, whether it equals the one a period later.
class Matches {
 public:
  Matches(std::span<const StringId> names, size_t period)
      : names_(names), period_(period), pairs_(names.size() - period) {
    const auto most = static_cast<size_t>((1 - kMatch) * static_cast<double>(pairs_));
    for (size_t i = 0; i < pairs_ && mismatches_ <= most; ++i) mismatches_ += Equal(i) ? 0 : 1;
    repeats_ = mismatches_ <= most;
  }

  // Whether nearly all do. The functions below may be called only if this is true.
  bool repeats() const { return repeats_; }
  size_t mismatches() const { return mismatches_; }

  // See KernelPeriod::framed.
  bool Framed() const {
    // The first and the last stretch of a complete period without a mismatch.
    size_t first = pairs_, last = 0, run = 0;
    for (size_t i = 0; i < pairs_; ++i) {
      run = Equal(i) ? run + 1 : 0;
      if (run < period_) continue;
      first = std::min(first, i + 1 - run);
      last = i + 1;
    }
    if (last <= first) return false;
    const size_t before = CountMismatches(0, first);
    const size_t after = CountMismatches(last, pairs_);
    const size_t between = mismatches_ - before - after;
    if (before == 0 || 10 * between > mismatches_) return false;
    if (after == 0 && !EndsWithAPart(first)) return false;
    // If steps differ by chance, they have the same kernels in another order or number.
    const size_t end = last + period_;
    const HashSet<StringId> inside(names_.begin() + static_cast<ptrdiff_t>(first),
                                   names_.begin() + static_cast<ptrdiff_t>(end));
    for (size_t i = 0; i < names_.size(); ++i) {
      if ((i < first || i >= end) && !inside.contains(names_[i])) return true;
    }
    return false;
  }

 private:
  // Whether repetitions that begin at `first` are followed by the beginning of another one: the
  // norm after the last layer equals the norm before the first layer. If only a few kernels match,
  // it is considered chance.
  bool EndsWithAPart(size_t first) const {
    const size_t part = (names_.size() - first) % period_;
    return part >= kLeastPart && 2 * part < period_;
  }

  bool Equal(size_t i) const { return names_[i] == names_[i + period_]; }
  size_t CountMismatches(size_t from, size_t to) const {
    size_t count = 0;
    for (size_t i = from; i < to; ++i) count += Equal(i) ? 0 : 1;
    return count;
  }

  std::span<const StringId> names_;
  size_t period_;
  size_t pairs_;
  size_t mismatches_ = 0;
  bool repeats_ = false;
};

// The distances between consecutive occurrences of rare names: a name that occurs once per
// iteration yields the period.
std::vector<size_t> Candidates(std::span<const StringId> names) {
  HashMap<StringId, std::vector<size_t>> places;
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

std::vector<KernelPeriod> FindKernelPeriods(std::span<const StringId> names) {
  std::vector<KernelPeriod> periods;
  for (const size_t length : Candidates(names)) {
    if (length < kShortest || length * 2 > names.size()) continue;
    const Matches matches(names, length);
    if (!matches.repeats()) continue;
    KernelPeriod period;
    period.length = length;
    period.count = names.size() / length;
    // The remainder is at the beginning, since recordings may begin inside an iteration but end
    // with one.
    period.offset = names.size() - period.count * length;
    period.mismatches = matches.mismatches();
    period.framed = matches.Framed();
    periods.push_back(period);
  }
  return periods;
}

}  // namespace warpsight
