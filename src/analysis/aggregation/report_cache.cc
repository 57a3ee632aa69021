#include "analysis/aggregation/report_cache.h"

namespace warpsight {

template <typename T, typename Make>
std::shared_ptr<const T> ReportCache::Get(ReportCache* cache, Part<T> ReportCache::*part,
                                          Make make) {
  if (cache == nullptr) return make();
  Part<T>& kept = cache->*part;
  std::call_once(kept.once, [&] { kept.value = make(); });
  return kept.value;
}

std::shared_ptr<const OpTable> OpTableOf(const ReportInput& input) {
  return ReportCache::Get(input.cache, &ReportCache::ops_,
                          [&] { return std::make_shared<const OpTable>(input); });
}

std::shared_ptr<const std::vector<KernelUse>> KernelUsesOf(const ReportInput& input,
                                                           const OpTable& ops) {
  return ReportCache::Get(input.cache, &ReportCache::uses_, [&] {
    return std::make_shared<const std::vector<KernelUse>>(KernelUses(input, ops));
  });
}

std::shared_ptr<const OpCosts> OpCostsOf(const ReportInput& input, const OpTable& ops) {
  return ReportCache::Get(input.cache, &ReportCache::costs_,
                          [&] { return std::make_shared<const OpCosts>(input, ops); });
}

}  // namespace warpsight
