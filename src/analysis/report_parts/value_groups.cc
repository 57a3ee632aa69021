#include "analysis/report_parts/value_groups.h"

#include <numeric>
#include <span>

namespace warpsight {

std::vector<ValueGroups::Group> ValueGroups::SummarizeInOrder() const {
  std::vector<Group> result;
  if (groups_.empty()) return result;
  const size_t count = *std::max_element(groups_.begin(), groups_.end()) + size_t{1};
  std::vector<size_t> place(count + 1);
  for (const uint32_t group : groups_) ++place[group + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<int64_t> sorted(values_.size());
  for (size_t i = 0; i < values_.size(); ++i) sorted[place[groups_[i]]++] = values_[i];
  size_t begin = 0;  // place[g] is now the end of group g
  for (size_t group = 0; group < count; ++group) {
    const size_t end = place[group];
    if (end > begin) {
      result.push_back({group, warpsight::Summarize(std::span(sorted).subspan(begin, end - begin)),
                        largest_[group].row});
    }
    begin = end;
  }
  return result;
}

}  // namespace warpsight
